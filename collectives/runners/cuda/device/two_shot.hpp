// two-shot: rank r reduces stripe r of all inputs, in rank order, and writes it to all outputs,
// which it reaches directly. Block b of every rank meets block b of all others at two barriers:
//
//   all have arrived | read stripe r of x0 x1 ..., write it to y0 y1 ... | all have written
//
// The first: a block that arrived shows that its rank's kernel has begun, so its input is complete
// and its output may be written. The second: what block b of every rank wrote is there; as all
// blocks of a rank wait for it, all of its output is there when its kernel ends.
//
// A barrier word is written by one rank, with the epoch of the barrier, and never goes back; a rank
// that is one barrier ahead satisfies the comparison all the more. Words wrap: epochs are compared
// by their difference.
//
// In place is safe: one thread reads a place of all inputs, then writes it in all outputs.
#pragma once

#include "collectives/runners/cuda/device/move.hpp"
#include "collectives/runners/cuda/device/native.hpp"
#include "collectives/schedule/tiling.hpp"

namespace arb {
namespace detail {

inline constexpr uint64_t kStripeGrainBytes = 64;
inline constexpr int kStripeInFlight = 3;  // of two ranks at once; with 4, sm_100 spills

struct TwoShotBody {
  const Thread& thread;
  const NativeArgs& args;
  int rank;
  uint32_t block;  // of the rank

  template <class T, class Operator>
  ARB_DEVICE void run() const {
    const Range stripe = cut(args.count, args.ranks, kStripeGrainBytes / sizeof(T), rank);
    const uint64_t begin = stripe.begin * sizeof(T);
    uint64_t vectors = 0;
    if (aligned(begin)) {
      vectors = stripe.size * sizeof(T) / sizeof(Vector16);
      reduce<T, Operator, Vector16>(begin, 0, vectors);
    }
    reduce<T, Operator, Raw<T>>(begin, vectors * (sizeof(Vector16) / sizeof(T)), stripe.size);
  }

  ARB_DEVICE bool aligned(uint64_t begin) const {
    uintptr_t all = begin;
    for (int r = 0; r < args.ranks; ++r) {
      all |= reinterpret_cast<uintptr_t>(args.buffers[r].input);
      all |= reinterpret_cast<uintptr_t>(args.buffers[r].output);
    }
    return all % sizeof(Vector16) == 0;
  }

  /// Units [first, end) of the stripe, which begins at byte `begin`. The input of the next rank is
  /// on its way while that of this one is combined.
  template <class T, class Operator, class Unit>
  ARB_DEVICE void reduce(uint64_t begin, uint64_t first, uint64_t end) const {
    const auto input = [&](int r) {
      return reinterpret_cast<const Unit*>(args.buffers[r].input + begin);
    };
    const uint64_t stride = static_cast<uint64_t>(args.blocks_per_rank) * thread.count();
    const uint64_t start = static_cast<uint64_t>(block) * thread.count() + thread.index();
    for (uint64_t i = first + start; i < end; i += kStripeInFlight * stride) {
      Unit value[kStripeInFlight] = {};
      Unit next[kStripeInFlight] = {};
      fetch(input(0), i, stride, end, value);
      if (args.ranks > 1) fetch(input(1), i, stride, end, next);
      for (int r = 1; r < args.ranks; ++r) {
        Unit now[kStripeInFlight];
        ARB_UNROLL
        for (int k = 0; k < kStripeInFlight; ++k) now[k] = next[k];
        if (r + 1 < args.ranks) fetch(input(r + 1), i, stride, end, next);
        ARB_UNROLL
        for (int k = 0; k < kStripeInFlight; ++k) {
          value[k] = combine<T, Operator>(value[k], now[k]);
        }
      }
      if (args.op == Op::kAvg) {
        ARB_UNROLL
        for (int k = 0; k < kStripeInFlight; ++k) {
          value[k] = average<T, Operator>(value[k], args.ranks);
        }
      }
      for (int step = 0; step < args.ranks; ++step) {  // not all to the same rank at once
        int r = rank + step;
        if (r >= args.ranks) r -= args.ranks;
        auto* output = reinterpret_cast<Unit*>(args.buffers[r].output + begin);
        ARB_UNROLL
        for (int k = 0; k < kStripeInFlight; ++k) {
          if (i + k * stride < end) store(output + i + k * stride, value[k]);
        }
      }
    }
  }

  template <class Unit>
  ARB_DEVICE static void fetch(const Unit* from, uint64_t i, uint64_t stride, uint64_t end,
                               Unit (&to)[kStripeInFlight]) {
    ARB_UNROLL
    for (int k = 0; k < kStripeInFlight; ++k) {
      if (i + k * stride < end) to[k] = load(from + i + k * stride);
    }
  }
};

/// Block `block` of every rank has come here. False: gave up; the marks say so to all threads.
ARB_DEVICE bool meet(const Thread& thread, const NativeArgs& args, const NativeRank& own,
                     uint32_t block, uint32_t epoch, uint32_t& mark) {
  const uint64_t row = static_cast<uint64_t>(block) * static_cast<uint64_t>(args.ranks);
  thread.sync();  // everything the block has stored is released by what follows
  for (uint32_t r = thread.index(); r < static_cast<uint32_t>(args.ranks); r += thread.count()) {
    store_release<Scope::kSystem>(own.arrivals[r] + row + static_cast<uint64_t>(own.rank), epoch);
  }
  for (uint32_t r = thread.index(); r < static_cast<uint32_t>(args.ranks); r += thread.count()) {
    if (!wait_for_epoch(own.arrived + row + r, epoch, args.control, &mark)) {
      set_mark(mark, r + 1);
      break;
    }
  }
  thread.sync();
  return !is_set(mark);
}

}  // namespace detail

/// The whole of a kernel: blocks_per_rank blocks for each local rank, one after the other.
ARB_DEVICE void run_two_shot(const Thread& thread, const NativeArgs& args) {
  const auto blocks = static_cast<uint32_t>(args.blocks_per_rank);
  const NativeRank& own = args.local[thread.block() / blocks];
  if (stalls(thread, args, own)) return;
  auto& marks = block_shared<GiveUpMarks>();
  begin_marks(thread, marks);
  const uint32_t block = thread.block() % blocks;
  const uint32_t epoch = load(own.epoch + block);
  bool met = detail::meet(thread, args, own, block, epoch + 1, marks.waiting);
  if (met) {
    dispatch(args.dtype, args.op, detail::TwoShotBody{thread, args, own.rank, block});
    met = detail::meet(thread, args, own, block, epoch + 2, marks.spinning);
  }
  if (thread.index() != 0) return;
  if (met) {
    store(own.epoch + block, epoch + 2);
  } else {
    const uint32_t missing = marks.waiting != 0 ? marks.waiting : marks.spinning;
    leave_native_report(thread, args, own, Awaited::kRank, static_cast<int32_t>(missing) - 1);
  }
}

}  // namespace arb
