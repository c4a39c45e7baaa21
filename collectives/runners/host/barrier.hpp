// Lets the threads of a team go on together, within a fraction of a microsecond.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "collectives/runners/host/cpu.hpp"

namespace arb {

/// Spins, then yields: where others need the core, they get it.
class Patience {
 public:
  explicit Patience(unsigned spins) : spins_(spins) {}
  void wait() {
    relax();
    if (++waited_ > spins_) sched_yield();
  }
  void reset() { waited_ = 0; }
  unsigned waited() const { return waited_; }

 private:
  unsigned spins_;
  unsigned waited_ = 0;
};

class SpinBarrier {
 public:
  explicit SpinBarrier(int parties) : parties_(parties) {}

  /// False if `stop` was raised before all had arrived; the barrier is then of no further use.
  bool arrive_and_wait(const std::atomic<bool>& stop, unsigned spins) {
    const bool met = arrive_and_wait_while(
        [&stop](Patience& patience) {
          if (stop.load(std::memory_order_relaxed)) return false;
          patience.wait();
          return true;
        },
        spins);
    return met && !stop.load(std::memory_order_relaxed);
  }

  /// go_on(Patience&) waits a moment; false: give up.
  template <typename GoOn>
  bool arrive_and_wait_while(const GoOn& go_on, unsigned spins) {
    const uint64_t generation = generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == parties_) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      return true;
    }
    Patience patience(spins);
    while (generation_.load(std::memory_order_acquire) == generation) {
      if (!go_on(patience)) return false;
    }
    return true;
  }

 private:
  alignas(kCacheLine) std::atomic<int> arrived_{0};
  alignas(kCacheLine) std::atomic<uint64_t> generation_{0};
  int parties_;
};

}  // namespace arb
