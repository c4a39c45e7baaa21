// The kernels, each with one argument by value. Bodies are in device/*.hpp, wrapped in *.cu.
#pragma once

#include <cuda_runtime.h>

#include "collectives/runners/cuda/tables.hpp"

namespace arb {

inline constexpr int kThreads = 512;  // of a block, in all kernels that move payload

__global__ void schedule_simple_kernel(ScheduleArgs args);
__global__ void schedule_ll_kernel(ScheduleArgs args);
__global__ void one_shot_kernel(NativeArgs args);  // LL push
__global__ void two_shot_kernel(NativeArgs args);  // zero-copy, barriers
__global__ void latch_kernel(LatchArgs args);      // one thread
__global__ void probe_write_kernel(ProbeArgs args);
__global__ void probe_check_kernel(ProbeArgs args);

}  // namespace arb
