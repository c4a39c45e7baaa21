#include "collectives/runners/cuda/device/interpret.hpp"
#include "collectives/runners/cuda/kernels.hpp"

namespace arb {

__global__ void __launch_bounds__(kThreads, 2) schedule_ll_kernel(ScheduleArgs args) {
  run_schedule<Protocol::kLl>(Thread{}, args);
}

}  // namespace arb
