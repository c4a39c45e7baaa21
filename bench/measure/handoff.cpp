#include "bench/measure/handoff.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "bench/measure/statistics.hpp"
#include "collectives/runners/host/barrier.hpp"

namespace arb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kBudget = std::chrono::microseconds(1000);
constexpr int kHopsPerBatch = 32;  // reading the clock is then a small part of a batch
constexpr size_t kFewestBatches = 3;
constexpr unsigned kSpins = 4000;  // then the core is yielded, as in a barrier
constexpr uint64_t kEnd = std::numeric_limits<uint64_t>::max();

// Two lines wide: processors fetch a neighbour line along.
struct alignas(2 * kCacheLine) Token {
  std::atomic<uint64_t> lap{0};
};

class Ring {
 public:
  explicit Ring(int workers) : tokens_(static_cast<size_t>(workers)) {}

  /// Worker 0: sends the token round and takes the time.
  double lead() {
    const int workers = static_cast<int>(tokens_.size());
    const int laps = std::max(1, kHopsPerBatch / workers);
    std::vector<double> hops;
    go_round(1);  // all have come
    const auto until = Clock::now() + kBudget;
    for (auto now = Clock::now(); hops.size() < kFewestBatches || now < until;) {
      const auto begin = now;
      const int gone = go_round(laps);
      now = Clock::now();
      hops.push_back(std::chrono::duration<double>(now - begin).count() / (gone * workers));
    }
    pass_on(0, kEnd);
    return median(hops);
  }

  void follow(size_t worker) {
    for (uint64_t lap = 0; lap != kEnd;) {
      Patience patience(kSpins);
      lap = wait_beyond(worker, lap, patience);
      pass_on(worker, lap);
    }
  }

 private:
  /// Returns the laps that were gone: one in which somebody has lost the core is the last, or a
  /// crowded machine would be asked for a long time.
  int go_round(int laps) {
    for (int gone = 1;; ++gone) {
      Patience patience(kSpins);
      pass_on(0, lap_ + 1);
      lap_ = wait_beyond(0, lap_, patience);
      if (gone == laps || patience.waited() > kSpins) return gone;
    }
  }
  void pass_on(size_t worker, uint64_t lap) {
    tokens_[(worker + 1) % tokens_.size()].lap.store(lap, std::memory_order_release);
  }
  uint64_t wait_beyond(size_t worker, uint64_t lap, Patience& patience) const {
    for (;;) {
      const uint64_t now = tokens_[worker].lap.load(std::memory_order_acquire);
      if (now != lap) return now;
      patience.wait();
    }
  }

  std::vector<Token> tokens_;
  uint64_t lap_ = 0;  // worker 0's
};

}  // namespace

std::optional<double> measure_handoff(Crew& crew) {
  if (crew.workers() < 2) return std::nullopt;
  Ring ring(crew.workers());
  double seconds = 0;
  crew.on_all([&](int worker) {
    if (worker == 0) {
      seconds = ring.lead();
    } else {
      ring.follow(static_cast<size_t>(worker));
    }
  });
  return seconds;
}

}  // namespace arb
