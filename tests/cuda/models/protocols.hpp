// The three protocols of the kernels as programs for the explorer, each with the faults it must not
// have.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/cuda/models/explorer.hpp"

namespace arb::model {

struct Protocol {
  std::vector<Thread> threads;
  std::vector<Word> memory;
};

/// A ring of slots between two blocks of two threads each, each thread with its half of a message.
struct RingFaults {
  bool relaxed_publish = false;    // the counter overtakes the payload
  bool no_credit = false;          // the sender does not wait for a free slot
  bool no_barrier_before = false;  // the counter is published before the other thread has stored
  bool early_credit = false;       // the slot is handed back before the other thread has read it
};
/// Counters beside the slots (device/interpret.hpp, simple).
Protocol slot_ring(int slots, int messages, const RingFaults& faults);
/// Flags inside the lines (device/interpret.hpp, ll). first: number of the first message, so that
/// flags wrap.
Protocol line_ring(int slots, int messages, uint8_t first, const RingFaults& faults);

struct EpochFaults {
  bool one_half = false;     // no double buffer
  bool same_epoch = false;   // an epoch is used twice
  bool no_wait_own = false;  // the last rank's line is not waited for
};
/// Every rank sends a line to every other, in halves by turns (device/one_shot.hpp).
Protocol line_epochs(int ranks, int epochs, uint8_t first, const EpochFaults& faults);

struct BarrierFaults {
  Compare compare = Compare::kReached;
  bool no_exit = false;          // nobody waits until all are done
  bool relaxed_arrival = false;  // the word overtakes the data
  bool same_epoch = false;       // entry and exit count as one
};
/// Entry barrier, every rank reads all inputs and writes all outputs of its stripe in place, exit
/// barrier (device/two_shot.hpp).
Protocol barrier_epochs(int ranks, int operations, uint8_t first, const BarrierFaults& faults);

}  // namespace arb::model
