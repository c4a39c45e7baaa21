#include "collectives/runners/cuda/device/two_shot.hpp"
#include "collectives/runners/cuda/kernels.hpp"

namespace arb {

__global__ void __launch_bounds__(kThreads, 1) two_shot_kernel(NativeArgs args) {
  run_two_shot(Thread{}, args);
}

}  // namespace arb
