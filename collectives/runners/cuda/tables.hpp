// What the host tells the kernels: plain data, read by both sides. A block of the grid drives one
// lane of one rank on one channel; channel c of C does tiles c, c + C, c + 2C, ...
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/ops/types.hpp"
#include "collectives/runners/operation.hpp"
#include "collectives/schedule/schedule.hpp"

namespace arb {

inline constexpr int kMostLocalRanks = 64;  // on one GPU

enum class Protocol : unsigned char {
  kSimple,  // payload, then a counter published with release: any size
  kLl,      // 8-byte lines of data and flag, no fence: twice the bytes, a fraction of the latency
};

/// Bytes of a slice, from the start of its tile.
struct DeviceSlice {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct DeviceStep {
  int16_t in = kNone, out = kNone;       // ends of the block: index into its `ends`
  int16_t after = kNone, marks = kNone;  // events of the rank and channel
  Buffer local = Buffer::kNowhere;
  Buffer store = Buffer::kNowhere;
  bool completes = false;    // the reduction makes the value whole: avg divides here
  uint32_t local_slice = 0;  // ids of slices
  uint32_t store_slice = 0;
  uint32_t slice = 0;  // of the message or value
};

/// One block's end of a FIFO of `slot_count` slots. Everything is polled where it is local and
/// written where it is remote. Slots and `tail` lie in the receiver's memory, `head` in the
/// sender's; all zero at first. A FIFO only ever carries one protocol. To and from another node
/// each end has slots and counters of its own process, and its host plays the other end.
struct DeviceFifoEnd {
  std::byte* slots = nullptr;  // [slot] slot_bytes apart, 16-byte aligned
  uint64_t* tail = nullptr;    // simple: messages published so far
  uint64_t* head = nullptr;    // messages the receiver is done with
  uint64_t* count = nullptr;   // this end's own messages so far; survives launches, 8-byte aligned
  uint64_t slot_bytes = 0;     // distance of slots: payload, or lines (twice the payload)
  uint32_t slot_count = 0;
  int32_t peer = kNone;         // the rank at the other end
  uint64_t* lengths = nullptr;  // [slot] bytes of the message, for a host that sends it; or null
};

struct DeviceBlock {
  int32_t rank = 0;
  int32_t local_rank = 0;  // among the ranks of this GPU
  int32_t lane = 0;
  int32_t channel = 0;
  const DeviceStep* steps = nullptr;
  int32_t step_count = 0;
  DeviceFifoEnd* ends = nullptr;
  uint64_t* events = nullptr;      // [event] of the rank and channel: tiles marked so far, ever
  uint64_t* tiles_done = nullptr;  // of this block, ever: what events count from
  std::byte* scratch = nullptr;    // of the rank and channel: one tile
};

enum class Awaited : uint32_t { kNothing, kData, kSlot, kEvent, kRank, kStart };

/// Where a block stood when it gave up.
struct DeviceReport {
  Awaited awaited = Awaited::kNothing;  // kNothing: it did not give up
  int32_t rank = kNone;
  int32_t lane = kNone;
  int32_t channel = 0;
  int32_t step = kNone;
  int32_t peer = kNone;
  uint64_t tile = 0;
};

/// What ends a wait early; in pinned host memory.
struct DeviceControl {
  const uint32_t* abort = nullptr;  // not 0: leave
  DeviceReport* reports = nullptr;  // [block of the grid]
  uint64_t most_polls = 0;          // of one wait, then it gives up; 0: no limit
  int32_t stall_rank = kNone;       // takes no part: tests of the program itself
};

/// Arguments of the interpreter.
struct ScheduleArgs {
  const DeviceBlock* blocks = nullptr;  // [blockIdx]
  const DeviceSlice* full = nullptr;    // [slice id] in a full tile
  const DeviceSlice* last = nullptr;    // in the last tile
  uint64_t tiles = 1;
  uint64_t tile_stride = 0;  // bytes from one tile to the next
  int32_t channels = 1;
  int32_t ranks = 1;
  Dtype dtype = Dtype::kFloat32;
  Op op = Op::kSum;
  DeviceControl control;
  RankBuffers buffers[kMostLocalRanks];  // [local rank]
};

/// What a native kernel knows of one rank. Arrays of pointers are in device memory.
struct NativeRank {
  int32_t rank = 0;
  uint32_t* epoch = nullptr;  // [block of the rank] in this GPU's memory; survives launches
  // one-shot: lines, [2 halves][sender rank][line]; own memory, and that of every rank
  std::byte* inbox = nullptr;
  std::byte* const* inboxes = nullptr;  // [rank]
  // two-shot: barrier words [block][rank], written by the others
  uint32_t* arrived = nullptr;
  uint32_t* const* arrivals = nullptr;  // [rank]
};

struct NativeArgs {
  const NativeRank* local = nullptr;  // [local rank]
  int32_t ranks = 1;
  int32_t local_ranks = 1;
  int32_t blocks_per_rank = 1;  // block b: local rank b / blocks_per_rank
  uint64_t count = 0;           // elements
  uint64_t inbox_lines = 0;     // one-shot: lines of one sender in one half
  Dtype dtype = Dtype::kFloat32;
  Op op = Op::kSum;
  DeviceControl control;
  RankBuffers buffers[kMostLocalRanks];  // two-shot: of all ranks, [rank]; one-shot: [local rank]
};

/// All GPUs start when the host says so.
struct LatchArgs {
  const uint64_t* go = nullptr;  // pinned host memory
  uint64_t ticket = 0;           // start when *go >= ticket
  DeviceControl control;
};

/// What is read from peer memory before it is trusted: value i is pattern(seed, i).
struct ProbeArgs {
  uint64_t* memory = nullptr;
  uint64_t words = 0;
  uint64_t seed = 0;
  uint64_t* wrong = nullptr;  // check: words that differ
};

}  // namespace arb
