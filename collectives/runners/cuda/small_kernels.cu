#include "collectives/runners/cuda/device/latch.hpp"
#include "collectives/runners/cuda/device/probe.hpp"
#include "collectives/runners/cuda/kernels.hpp"

namespace arb {

__global__ void __launch_bounds__(1) latch_kernel(LatchArgs args) { run_latch(Thread{}, args); }

__global__ void __launch_bounds__(kMostProbeThreads) probe_write_kernel(ProbeArgs args) {
  run_probe_write(Thread{}, args);
}

__global__ void __launch_bounds__(kMostProbeThreads) probe_check_kernel(ProbeArgs args) {
  run_probe_check(Thread{}, args);
}

}  // namespace arb
