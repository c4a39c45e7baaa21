// The compiled form of a schedule: what the hot loop of the host runner reads.
#pragma once

#include <vector>

#include "collectives/runners/host/scheduled.hpp"

namespace arb {

struct ScheduledOperation::CompiledStep {
  FifoEnd* in = nullptr;
  FifoEnd* out = nullptr;
  const uint64_t* after = nullptr;  // event counters of the rank: tiles for which it was marked
  uint64_t* marks = nullptr;
  // Ids in full_ and last_: of the message or value as a whole, of the operand, of the destination.
  uint32_t slice = 0, local_slice = 0, store_slice = 0;
  Buffer local = Buffer::kNowhere, store = Buffer::kNowhere;
  bool completes = false;  // avg divides here
  bool direct = false;     // publish the address of the sender's own memory
  bool stream = false;     // nobody reads the stored value again in this operation
};

struct ScheduledOperation::LaneCursor {
  std::vector<CompiledStep> steps;
  size_t step = 0;
  size_t tile = 0;
  size_t tiles = 0;
  const SliceBytes* slices = nullptr;  // of the current tile
};

struct alignas(kCacheLine) ScheduledOperation::RankState {
  std::byte* base[4] = {};  // by Buffer: none, input, output, scratch
  std::vector<LaneCursor> lanes;
  std::vector<uint64_t> events;
  std::vector<std::unique_ptr<FifoEnd>> ends;
  std::vector<FifoEnd*>
      direct_ends;  // senders whose messages lie in our buffers: drained before we are done
  bool begun = false;
};

}  // namespace arb
