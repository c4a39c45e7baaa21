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
    const uint64_t generation = generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == parties_) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      return !stop.load(std::memory_order_relaxed);
    }
    Patience patience(spins);
    while (generation_.load(std::memory_order_acquire) == generation) {
      if (stop.load(std::memory_order_relaxed)) return false;
      patience.wait();
    }
    return true;
  }

 private:
  alignas(kCacheLine) std::atomic<int> arrived_{0};
  alignas(kCacheLine) std::atomic<uint64_t> generation_{0};
  int parties_;
};

}  // namespace arb
