// One thread that waits until the host lets all GPUs start.
#pragma once

#include "collectives/runners/cuda/device/thread.hpp"
#include "collectives/runners/cuda/device/wait.hpp"
#include "collectives/runners/cuda/tables.hpp"

namespace arb {

ARB_DEVICE void run_latch(const Thread& thread, const LatchArgs& args) {
  if (thread.index() != 0) return;
  if (wait_for_count<Scope::kSystem>(args.go, args.ticket, args.control) >= args.ticket) return;
  leave_report(args.control, thread.block(),
               {Awaited::kStart, kNone, kNone, 0, kNone, kNone, args.ticket});
}

}  // namespace arb
