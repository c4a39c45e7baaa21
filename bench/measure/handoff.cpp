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
    uint64_t lap = go_round(0, 1);  // all have come
    const auto until = Clock::now() + kBudget;
    for (auto now = Clock::now(); hops.size() < kFewestBatches || now < until;) {
      const auto begin = now;
      lap = go_round(lap, laps);
      now = Clock::now();
      hops.push_back(std::chrono::duration<double>(now - begin).count() / (laps * workers));
    }
    pass_on(0, kEnd);
    return median(hops);
  }

  void follow(size_t worker) {
    for (uint64_t lap = 0; lap != kEnd;) {
      lap = wait_beyond(worker, lap);
      pass_on(worker, lap);
    }
  }

 private:
  uint64_t go_round(uint64_t lap, int laps) {
    for (int i = 0; i < laps; ++i) {
      pass_on(0, lap + 1);
      lap = wait_beyond(0, lap);
    }
    return lap;
  }
  void pass_on(size_t worker, uint64_t lap) {
    tokens_[(worker + 1) % tokens_.size()].lap.store(lap, std::memory_order_release);
  }
  uint64_t wait_beyond(size_t worker, uint64_t lap) {
    Patience patience(kSpins);
    for (;;) {
      const uint64_t now = tokens_[worker].lap.load(std::memory_order_acquire);
      if (now != lap) return now;
      patience.wait();
    }
  }

  std::vector<Token> tokens_;
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
