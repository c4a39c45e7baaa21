#include "collectives/runners/cuda/device/interpret.hpp"
#include "collectives/runners/cuda/kernels.hpp"

namespace arb {

__global__ void __launch_bounds__(kThreads, 2) schedule_simple_kernel(ScheduleArgs args) {
  run_schedule<Protocol::kSimple>(Thread{}, args);
}

}  // namespace arb
