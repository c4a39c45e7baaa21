#include "collectives/runners/cuda/device/one_shot.hpp"
#include "collectives/runners/cuda/kernels.hpp"

namespace arb {

__global__ void __launch_bounds__(kThreads, 1) one_shot_kernel(NativeArgs args) {
  run_one_shot(Thread{}, args);
}

}  // namespace arb
