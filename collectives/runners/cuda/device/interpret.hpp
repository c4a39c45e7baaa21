// One block runs one lane of one rank: its steps for every tile of its channel. A step is
//
//   thread 0     decode; wait for the event, the free slot, (simple) the data
//   ---- barrier ----
//   all threads  value := received (op) local -> store, slot;  (lines) wait for their own lines
//   ---- barrier ----
//   thread 0     (simple) publish the message; give the received slot back; mark the event
//
// A message is never overwritten before it is read: its slot is written again only by message
// m + slots, after the sender's thread 0 has seen head > m and its block has passed a barrier. The
// receiver's thread 0 moves head to m + 1 behind the closing barrier of the step that reads m, when
// every thread of the block has its values of m in registers.
//  * simple: head is released and acquired like tail, so the order is that of the memory model.
//  * lines: head is relaxed, since a fence here would cost as much as the whole hand-over. Every
//    load of m has returned, for its flag was compared, before its thread came to the barrier; and
//    a line of m + slots that such a load could see instead would exist only because of that load.
//
// Memory that two lanes of a rank share (not in the same chunk of a slot) is ordered by messages
// only in `simple`, whose flags release and acquire. Lines carry nothing but themselves, so for
// them the order of two lanes must come from events. The events of a schedule are read and marked
// at the scope of the GPU: both lanes run there.
//
// Empty chunks (short last tiles) keep all their messages: `simple` publishes, lines send one line
// of no payload, whose flag travels.
#pragma once

#include <type_traits>

#include "collectives/runners/cuda/device/lines.hpp"
#include "collectives/runners/cuda/device/move.hpp"
#include "collectives/runners/cuda/device/port.hpp"
#include "collectives/runners/cuda/device/thread.hpp"
#include "collectives/runners/cuda/device/wait.hpp"
#include "collectives/runners/cuda/tables.hpp"

namespace arb {
namespace detail {

/// What thread 0 tells the block about the step; in shared memory.
struct StepWork {
  std::byte* received;
  std::byte* local;
  std::byte* store;
  std::byte* slot;
  uint64_t bytes;
  uint32_t received_flag;
  uint32_t slot_flag;
  int32_t ranks;
};

struct StepShared {
  GiveUpMarks marks;
  StepWork work;
  Port in, out;  // of thread 0
};

static_assert(std::is_trivially_default_constructible_v<StepShared>);

/// Where the block stands; the same in all threads.
struct Place {
  uint64_t tile;      // of the message
  uint64_t finished;  // tiles of this lane before it, ever: what events count
  int32_t step;
};

template <Protocol kProtocol>
class LaneRunner {
 public:
  ARB_DEVICE LaneRunner(const Thread& thread, const ScheduleArgs& args, const DeviceBlock& block,
                        StepShared& shared)
      : thread_(thread), args_(args), block_(block), shared_(shared) {}

  ARB_DEVICE void run() {
    const bool leader = thread_.index() == 0;
    begin_marks(thread_, shared_.marks);
    if (leader) {
      in().reset();
      out().reset();
    }
    Place place{};
    place.finished = load(block_.tiles_done);  // a block without tiles writes it right behind
    thread_.sync();
    for (place.tile = static_cast<uint64_t>(block_.channel); place.tile < args_.tiles;
         place.tile += static_cast<uint64_t>(args_.channels)) {
      for (place.step = 0; place.step < block_.step_count; ++place.step) {
        if (leader && !open(place)) set_mark(shared_.marks.waiting);
        thread_.sync();
        if (is_set(shared_.marks.waiting)) return;
        if (!work()) set_mark(shared_.marks.spinning);
        thread_.sync();
        if (is_set(shared_.marks.spinning)) {
          if (leader) report(place, Awaited::kData, in().peer());
          return;
        }
        if (leader) close(place);
      }
      ++place.finished;
    }
    if (leader) {
      in().put_back();
      out().put_back();
      store(block_.tiles_done, place.finished);
    }
  }

 private:
  /// False: gave up, and has said so.
  ARB_DEVICE bool open(const Place& place) {
    const DeviceStep& step = block_.steps[place.step];
    const DeviceSlice* slices = place.tile + 1 == args_.tiles ? args_.last : args_.full;
    StepWork work{};
    work.bytes = slices[step.slice].bytes;
    if (step.local != Buffer::kNowhere) {
      work.local = address(step.local, slices[step.local_slice].offset, place.tile);
    }
    if (step.store != Buffer::kNowhere) {
      work.store = address(step.store, slices[step.store_slice].offset, place.tile);
    }
    if (args_.op == Op::kAvg && step.completes) work.ranks = args_.ranks;
    if (step.after != kNone) {
      const uint64_t* event = block_.events + step.after;
      if (wait_for_count<Scope::kGpu>(event, place.finished + 1, args_.control) <= place.finished) {
        return report(place, Awaited::kEvent, kNone);
      }
    }
    if (step.out != kNone) {
      out().use(block_.ends, step.out);
      if (!out().wait_for_slot(args_.control)) return report(place, Awaited::kSlot, out().peer());
      work.slot = out().slot();
      work.slot_flag = line_flag(out().count());
    }
    if (step.in != kNone) {
      in().use(block_.ends, step.in);
      if (kProtocol == Protocol::kSimple && !in().wait_for_data(args_.control)) {
        return report(place, Awaited::kData, in().peer());
      }
      work.received = in().slot();
      work.received_flag = line_flag(in().count());
    }
    shared_.work = work;
    return true;
  }

  ARB_DEVICE bool work() const {
    const StepWork& work = shared_.work;
    if constexpr (kProtocol == Protocol::kSimple) {
      const Move move{work.received, work.local, work.store, work.slot, work.bytes, work.ranks};
      move_payload(thread_, move, args_.dtype, args_.op);
      return true;
    } else {
      const LineMove move{reinterpret_cast<const Line*>(work.received),
                          work.local,
                          work.store,
                          reinterpret_cast<Line*>(work.slot),
                          work.bytes,
                          work.received_flag,
                          work.slot_flag,
                          work.ranks};
      return move_lines(thread_, move, args_.dtype, args_.op, args_.control,
                        &shared_.marks.spinning);
    }
  }

  ARB_DEVICE void close(const Place& place) {
    const DeviceStep& step = block_.steps[place.step];
    if (step.out != kNone) {
      if (kProtocol == Protocol::kSimple) out().note_length(shared_.work.bytes);
      out().next();
      if (kProtocol == Protocol::kSimple) out().publish_tail();
    }
    if (step.in != kNone) {
      in().next();
      if (kProtocol == Protocol::kSimple) {
        in().release_head();
      } else {
        in().relax_head();
      }
    }
    if (step.marks != kNone) {
      store_release<Scope::kGpu>(block_.events + step.marks, place.finished + 1);
    }
  }

  /// Of a slice that begins `offset` bytes behind the start of the tile. Scratch holds one tile.
  ARB_DEVICE std::byte* address(Buffer buffer, uint64_t offset, uint64_t tile) const {
    if (buffer == Buffer::kScratch) return block_.scratch + offset;
    const RankBuffers& buffers = args_.buffers[block_.local_rank];
    std::byte* base = buffer == Buffer::kInput ? buffers.input : buffers.output;
    return base + tile * args_.tile_stride + offset;
  }

  ARB_DEVICE bool report(const Place& place, Awaited awaited, int32_t peer) const {
    leave_report(args_.control, thread_.block(),
                 {awaited, block_.rank, block_.lane, block_.channel, place.step, peer, place.tile});
    return false;
  }

  ARB_DEVICE Port& in() const { return shared_.in; }
  ARB_DEVICE Port& out() const { return shared_.out; }

  const Thread& thread_;
  const ScheduleArgs& args_;
  const DeviceBlock& block_;
  StepShared& shared_;
};

}  // namespace detail

/// The whole of a kernel: block b of the grid runs args.blocks[b].
template <Protocol kProtocol>
ARB_DEVICE void run_schedule(const Thread& thread, const ScheduleArgs& args) {
  const DeviceBlock& block = args.blocks[thread.block()];
  if (block.rank == args.control.stall_rank) {
    if (thread.index() != 0) return;
    wait_for_abort(args.control);
    leave_report(args.control, thread.block(),
                 {Awaited::kStart, block.rank, block.lane, block.channel, kNone, kNone, 0});
    return;
  }
  auto& shared = block_shared<detail::StepShared>();
  detail::LaneRunner<kProtocol>(thread, args, block, shared).run();
}

}  // namespace arb
