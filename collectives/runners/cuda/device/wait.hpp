// Waiting that always ends: by success, by a limit of polls, or by the abort word. A block that
// gives up leaves as a whole, at its next barrier, and says where it stood.
//
// Only thread 0 waits for counters; in the protocol of lines every thread spins on its own. Whoever
// gives up sets a mark in shared memory, and all threads read it after the next barrier. There are
// two marks, one for each of the barriers of a step, so that no thread can read a mark late and
// find what somebody set for the barrier after: between two uses of a mark lies the other barrier.
#pragma once

#include "collectives/runners/cuda/device/memory.hpp"
#include "collectives/runners/cuda/device/thread.hpp"
#include "collectives/runners/cuda/tables.hpp"

namespace arb {

/// Polls between two looks at the abort word, which is across PCIe: about 0.1 ms on a GPU.
inline constexpr uint32_t kAbortPolls = 256;

/// In shared memory; zeroed by begin_marks().
struct GiveUpMarks {
  uint32_t waiting;   // set by thread 0 before the barrier that opens a step
  uint32_t spinning;  // set by any thread before the barrier that closes it
};

/// The next barrier makes it seen.
ARB_DEVICE void begin_marks(const Thread& thread, GiveUpMarks& marks) {
  if (thread.index() != 0) return;
  marks.waiting = 0;
  marks.spinning = 0;
}

/// The widest scope is never wrong; a scope of the block would serve this one word. value: not 0.
ARB_DEVICE void set_mark(uint32_t& mark, uint32_t value = 1) {
  store_relaxed<Scope::kSystem>(&mark, value);
}
ARB_DEVICE bool is_set(const uint32_t& mark) { return load_relaxed<Scope::kSystem>(&mark) != 0; }

/// The bounds of one wait.
class DevicePatience {
 public:
  ARB_DEVICE explicit DevicePatience(const DeviceControl& control) : control_(control) {}

  /// After a poll in vain: false says give up. Also when another thread has set `mark`.
  ARB_DEVICE bool lasts(const uint32_t* mark = nullptr) {
    pause();
    ++polls_;
    if (control_.most_polls != 0 && polls_ >= control_.most_polls) return false;
    if (polls_ % kAbortPolls != 0) return true;
    if (control_.abort != nullptr && load_relaxed<Scope::kSystem>(control_.abort) != 0)
      return false;
    return mark == nullptr || !is_set(*mark);
  }

 private:
  const DeviceControl& control_;
  uint64_t polls_ = 0;
};

/// Waits until *counter >= wanted: counters of 64 bits never wrap. Returns what it saw, or less
/// than `wanted` if it gave up.
template <Scope kScope>
ARB_DEVICE uint64_t wait_for_count(const uint64_t* counter, uint64_t wanted,
                                   const DeviceControl& control) {
  DevicePatience patience(control);
  uint64_t seen = load_acquire<kScope>(counter);
  while (seen < wanted && patience.lasts()) seen = load_acquire<kScope>(counter);
  return seen;
}

/// The same for words of 32 bits that wrap: they are never more than half their range apart.
ARB_DEVICE bool wait_for_epoch(const uint32_t* word, uint32_t wanted, const DeviceControl& control,
                               const uint32_t* mark) {
  DevicePatience patience(control);
  while (static_cast<int32_t>(load_acquire<Scope::kSystem>(word) - wanted) < 0) {
    if (!patience.lasts(mark)) return false;
  }
  return true;
}

/// A rank that is told to stall: takes no part until it is aborted. By one thread.
ARB_DEVICE void wait_for_abort(const DeviceControl& control) {
  DevicePatience patience(control);
  while (control.abort == nullptr || load_relaxed<Scope::kSystem>(control.abort) == 0) {
    if (!patience.lasts()) return;
  }
}

/// By one thread of the block, once: the block leaves then. Operations queued behind the one that
/// hangs are stopped too: they leave its report alone.
ARB_DEVICE void leave_report(const DeviceControl& control, uint32_t block,
                             const DeviceReport& report) {
  if (control.reports == nullptr) return;
  if (control.reports[block].awaited == Awaited::kNothing) control.reports[block] = report;
}

}  // namespace arb
