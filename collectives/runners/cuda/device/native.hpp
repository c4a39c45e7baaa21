// What the native kernels share.
#pragma once

#include "collectives/runners/cuda/device/thread.hpp"
#include "collectives/runners/cuda/device/wait.hpp"
#include "collectives/runners/cuda/tables.hpp"

namespace arb {

/// The report of a native kernel: `channel` is the block of the rank.
ARB_DEVICE void leave_native_report(const Thread& thread, const NativeArgs& args,
                                    const NativeRank& own, Awaited awaited, int32_t peer) {
  const auto block = static_cast<int32_t>(thread.block()) % args.blocks_per_rank;
  leave_report(args.control, thread.block(), {awaited, own.rank, kNone, block, kNone, peer, 0});
}

/// Is this the rank that takes no part? Then it has waited for the abort word.
ARB_DEVICE bool stalls(const Thread& thread, const NativeArgs& args, const NativeRank& own) {
  if (own.rank != args.control.stall_rank) return false;
  if (thread.index() == 0) {
    wait_for_abort(args.control);
    leave_native_report(thread, args, own, Awaited::kStart, kNone);
  }
  return true;
}

}  // namespace arb
