#include "collectives/runners/host/scheduled.hpp"

#include <algorithm>
#include <cstring>

#include "collectives/runners/host/scheduled_detail.hpp"

namespace arb {
namespace {

/// destination := a (op) b around the caches, a block at a time.
template <typename Reduce>
void reduce_streaming(std::byte* destination, const std::byte* a, const std::byte* b, size_t bytes,
                      const Reduce& reduce) {
  alignas(kCacheLine) std::byte block[kStreamBlockBytes];
  for (size_t done = 0; done < bytes; done += kStreamBlockBytes) {
    const size_t part = std::min(kStreamBlockBytes, bytes - done);
    reduce(block, a + done, b + done, part);
    // Behind the last block lies other memory of the same buffers: asking for it does no harm.
    stream_copy(destination + done, block, part, {a + done + part, b + done + part});
  }
}

}  // namespace

ScheduledOperation::~ScheduledOperation() = default;

void ScheduledOperation::begin(int rank, const RankBuffers& buffers) {
  RankState& state = *ranks_[static_cast<size_t>(rank)];
  state.base[static_cast<size_t>(Buffer::kInput)] = buffers.input;
  state.base[static_cast<size_t>(Buffer::kOutput)] = buffers.output;
  std::fill(state.events.begin(), state.events.end(), uint64_t{0});
  for (LaneCursor& lane : state.lanes) {
    lane.step = 0;
    lane.tile = lane.steps.empty() ? tiling_.tiles() : 0;
    lane.slices = tiling_.tiles() == 1 ? last_.data() : full_.data();
  }
  state.begun = true;
}

bool ScheduledOperation::ready(const CompiledStep& step, const LaneCursor& lane,
                               const RankState&) const {
  if (step.in != nullptr && !step.in->full()) return false;
  if (step.out != nullptr && !step.out->free()) return false;
  return step.after == nullptr || *step.after > lane.tile;
}

void ScheduledOperation::apply(const CompiledStep& step, LaneCursor& lane, RankState& state) const {
  const size_t tile_offset = lane.tile * tile_stride_;
  const auto at = [&](Buffer buffer, uint32_t slice) {
    const size_t base = buffer == Buffer::kScratch ? 0 : tile_offset;
    return state.base[static_cast<size_t>(buffer)] + base + lane.slices[slice].offset;
  };
  const bool has_local = step.local != Buffer::kNowhere;
  const bool has_store = step.store != Buffer::kNowhere;
  const std::byte* received = step.in != nullptr ? step.in->slot().data : nullptr;
  const std::byte* local = has_local ? at(step.local, step.local_slice) : nullptr;
  std::byte* store = has_store ? at(step.store, step.store_slice) : nullptr;
  const size_t bytes = lane.slices[step.slice].bytes;

  const std::byte* value = received != nullptr ? received : local;
  if (received != nullptr && has_local) {
    std::byte* destination = has_store ? store : step.out->payload(bytes);
    const auto reduce = [&](std::byte* to, const std::byte* a, const std::byte* b, size_t part) {
      reduce_(to, a, b, part / element_bytes_);
      if (step.completes && finish_ != nullptr) finish_(to, part / element_bytes_, shape_.ranks);
    };
    if (step.stream) {
      reduce_streaming(destination, received, local, bytes, reduce);
    } else {
      reduce(destination, received, local, bytes);
    }
    value = destination;
  } else if (has_store && value != store) {
    if (step.stream) {
      stream_copy(store, value, bytes);
    } else {
      // A legal step has a message or an operand: `value` is never null.
      std::memcpy(store, value, bytes);  // NOLINT(clang-analyzer-core.NonNullParamChecker)
    }
    value = store;
  }
  if (step.out != nullptr) {
    if (!step.direct) {
      std::byte* payload = step.out->payload(bytes);
      if (value != payload) {
        std::memcpy(payload, value, bytes);  // NOLINT(clang-analyzer-core.NonNullParamChecker)
      }
      value = payload;
    }
    step.out->publish(value, bytes);
  }
  if (step.in != nullptr) step.in->release();
  if (step.marks != nullptr) *step.marks = lane.tile + 1;
}

Advance ScheduledOperation::advance(int rank) {
  RankState& state = *ranks_[static_cast<size_t>(rank)];
  const size_t tiles = tiling_.tiles();
  bool moved = false;
  bool open = false;
  for (LaneCursor& lane : state.lanes) {
    while (lane.tile < tiles) {
      const CompiledStep& step = lane.steps[lane.step];
      if (!ready(step, lane, state)) {
        open = true;
        break;
      }
      apply(step, lane, state);
      moved = true;
      if (++lane.step == lane.steps.size()) {
        lane.step = 0;
        if (++lane.tile + 1 == tiles) lane.slices = last_.data();
      }
    }
  }
  if (open) return moved ? Advance::kMoved : Advance::kBlocked;
  for (FifoEnd* end : state.direct_ends) {
    if (!end->drained()) return moved ? Advance::kMoved : Advance::kBlocked;
  }
  if (streams_) stream_fence();
  return Advance::kDone;
}

int ScheduledOperation::waits_for(int rank) const {
  const RankState& state = *ranks_[static_cast<size_t>(rank)];
  for (const LaneCursor& lane : state.lanes) {
    if (lane.tile >= tiling_.tiles()) continue;
    const CompiledStep& step = lane.steps[lane.step];
    if (step.in != nullptr && !step.in->full()) return step.in->fifo->sender;
    if (step.out != nullptr && step.out->count - step.out->consumed >= step.out->fifo->slot_count) {
      return step.out->fifo->receiver;
    }
  }
  for (const FifoEnd* end : state.direct_ends) {
    if (end->consumed != end->count) return end->fifo->receiver;
  }
  return kNone;
}

std::string ScheduledOperation::where(int rank) const {
  const RankState& state = *ranks_[static_cast<size_t>(rank)];
  if (!state.begun) return "has not begun";
  std::string text;
  for (size_t l = 0; l < state.lanes.size(); ++l) {
    const LaneCursor& lane = state.lanes[l];
    if (lane.tile >= tiling_.tiles()) continue;
    const CompiledStep& step = lane.steps[lane.step];
    if (!text.empty()) text += "; ";
    text += describe(schedule_, rank, static_cast<int>(l), static_cast<int>(lane.step)) +
            ", tile " + std::to_string(lane.tile) + " of " + std::to_string(tiling_.tiles());
    if (step.in != nullptr && !step.in->full()) {
      text += ", waits for data from rank " + std::to_string(step.in->fifo->sender);
    } else if (step.out != nullptr && !step.out->free()) {
      text += ", waits for a free slot towards rank " + std::to_string(step.out->fifo->receiver);
    } else if (step.after != nullptr && *step.after <= lane.tile) {
      text += ", waits for another lane of its rank";
    } else {
      text += ", could go on";
    }
  }
  if (!text.empty()) return text;
  for (const FifoEnd* end : state.direct_ends) {
    if (end->consumed != end->count) {
      return "all steps done, waits until rank " + std::to_string(end->fifo->receiver) +
             " has read its buffer";
    }
  }
  return "done";
}

}  // namespace arb
