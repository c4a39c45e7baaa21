// one-shot: every rank pushes its input as lines into the inbox of every other, and reduces what
// arrives in its own, in rank order, so that all ranks get the same bits.
//
//   inbox of each rank   half 0: [lines of rank 0][lines of rank 1] ...
//                        half 1: the same; epoch e uses half e % 2 and has e as its flag
//
// Why no barrier is needed: rank p overwrites a half of q's inbox in epoch e + 2, when its kernel
// of e + 1 has ended. That kernel waited for a line of q's kernel of e + 1, which began after q's
// kernel of e had ended, and with it all reading of epoch e. This needs
//  * at least one line from every rank to every rank in every epoch: also when there are no
//  elements;
//  * halves that alternate: the epoch is in device memory, where a graph that is launched again
//  finds
//    it, and after 2^32 - 1 comes 2, for 0 is the content of fresh memory, and 1 would use the same
//    half again;
//  * the same number of blocks, threads and elements on all ranks.
// A line's old flag is that of epoch e - 2, or 0, in memory that only ever holds lines of one
// shape.
//
// In place is safe: a thread reads its part of the input before it writes that part of the output.
#pragma once

#include "collectives/runners/cuda/device/lines.hpp"
#include "collectives/runners/cuda/device/native.hpp"
#include "collectives/runners/cuda/device/thread.hpp"
#include "collectives/runners/cuda/device/wait.hpp"
#include "collectives/runners/cuda/tables.hpp"

namespace arb {

ARB_HD inline uint32_t next_epoch(uint32_t epoch) { return epoch == 0xffffffffU ? 2 : epoch + 1; }

namespace detail {

inline constexpr int kSendersInFlight = 4;  // lines of as many ranks are asked for at once

/// Of one rank in one kernel; the same in all threads.
struct OneShot {
  const NativeArgs& args;
  const NativeRank& own;
  const RankBuffers& buffers;
  uint32_t block;  // of the rank
  uint32_t epoch;
  uint32_t* mark;  // 1 + the rank whose line did not come

  ARB_DEVICE uint64_t inbox_line(int sender, uint64_t i) const {
    const uint64_t half = epoch % 2;
    const auto ranks = static_cast<uint64_t>(args.ranks);
    return (half * ranks + static_cast<uint64_t>(sender)) * args.inbox_lines + i;
  }
  ARB_DEVICE const Line* received(int sender, uint64_t i) const {
    return reinterpret_cast<const Line*>(own.inbox) + inbox_line(sender, i);
  }
};

struct OneShotBody {
  const Thread& thread;
  const OneShot& shot;

  template <class T, class Operator>
  ARB_DEVICE void run() const {
    const NativeArgs& args = shot.args;
    const uint64_t bytes = args.count * sizeof(T);
    const uint64_t end = lines_of(bytes);
    const uint64_t first = static_cast<uint64_t>(shot.block) * thread.count() + thread.index();
    const uint64_t stride = static_cast<uint64_t>(args.blocks_per_rank) * thread.count();
    for (uint64_t i = first; i < end; i += stride) push<T>(i, bytes);
    for (uint64_t i = first; i < end; i += stride) {
      Vector8 value = {};
      if (!reduce<T, Operator>(i, bytes, value)) return;
      store_payload<Raw<T>>(shot.buffers.output + i * kLineData, line_payload(i, bytes), value);
    }
  }

  template <class T>
  ARB_DEVICE void push(uint64_t i, uint64_t bytes) const {
    const Vector8 data =
        load_payload<Raw<T>>(shot.buffers.input + i * kLineData, line_payload(i, bytes));
    const Line line = make_line(data, shot.epoch);
    for (int step = 1; step < shot.args.ranks; ++step) {  // not all to the same rank at once
      int to = shot.own.rank + step;
      if (to >= shot.args.ranks) to -= shot.args.ranks;
      auto* inbox = reinterpret_cast<Line*>(shot.own.inboxes[to]);
      store_line(inbox + shot.inbox_line(shot.own.rank, i), line);
    }
  }

  /// False: gave up.
  template <class T, class Operator>
  ARB_DEVICE bool reduce(uint64_t i, uint64_t bytes, Vector8& value) const {
    const int ranks = shot.args.ranks;
    const Vector8 mine =
        load_payload<Raw<T>>(shot.buffers.input + i * kLineData, line_payload(i, bytes));
    for (int from = 0; from < ranks; from += kSendersInFlight) {
      Line line[kSendersInFlight];
      ARB_UNROLL
      for (int k = 0; k < kSendersInFlight; ++k) {
        const int sender = from + k;
        line[k] = make_line(mine, shot.epoch);
        if (sender < ranks && sender != shot.own.rank)
          line[k] = load_line(shot.received(sender, i));
      }
      if (!wait_for_batch(from, i, line)) return false;
      ARB_UNROLL
      for (int k = 0; k < kSendersInFlight; ++k) {
        const Vector8 data = data_of(line[k]);
        if (from + k < ranks) value = from + k == 0 ? data : combine<T, Operator>(value, data);
      }
    }
    if (shot.args.op == Op::kAvg) value = average<T, Operator>(value, ranks);
    return true;
  }

  /// Asks for the lines that are missing, all at once, until there is none. False: gave up.
  ARB_DEVICE bool wait_for_batch(int from, uint64_t i, Line (&line)[kSendersInFlight]) const {
    DevicePatience patience(shot.args.control);
    while (true) {
      int missing = kNone;
      ARB_UNROLL
      for (int k = 0; k < kSendersInFlight; ++k) {
        if (!has_flag(line[k], shot.epoch)) {
          if (missing == kNone) missing = from + k;
          line[k] = load_line(shot.received(from + k, i));
        }
      }
      if (missing == kNone) return true;
      if (!patience.lasts(shot.mark)) {
        set_mark(*shot.mark, static_cast<uint32_t>(missing) + 1);
        return false;
      }
    }
  }
};

}  // namespace detail

/// The whole of a kernel: blocks_per_rank blocks for each local rank, one after the other.
ARB_DEVICE void run_one_shot(const Thread& thread, const NativeArgs& args) {
  const auto blocks = static_cast<uint32_t>(args.blocks_per_rank);
  const uint32_t local = thread.block() / blocks;
  const NativeRank& own = args.local[local];
  if (stalls(thread, args, own)) return;
  auto& marks = block_shared<GiveUpMarks>();
  begin_marks(thread, marks);
  thread.sync();
  const uint32_t block = thread.block() % blocks;
  const uint32_t epoch = next_epoch(load(own.epoch + block));
  const detail::OneShot shot{args, own, args.buffers[local], block, epoch, &marks.spinning};
  dispatch(args.dtype, args.op, detail::OneShotBody{thread, shot});
  thread.sync();
  if (thread.index() != 0) return;
  const uint32_t missing = load_relaxed<Scope::kSystem>(&marks.spinning);
  if (missing == 0) {
    store(own.epoch + block, epoch);
  } else {
    leave_native_report(thread, args, own, Awaited::kData, static_cast<int32_t>(missing) - 1);
  }
}

}  // namespace arb
