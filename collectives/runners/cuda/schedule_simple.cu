#include "collectives/runners/cuda/device/interpret.hpp"
#include "collectives/runners/cuda/kernels.hpp"

namespace arb {
namespace {

// Of a multiprocessor. From sm_100 on, the registers of half a block are too few: they spill.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
constexpr int kBlocks = 1;
#else
constexpr int kBlocks = 2;
#endif

}  // namespace

__global__ void __launch_bounds__(kThreads, kBlocks) schedule_simple_kernel(ScheduleArgs args) {
  run_schedule<Protocol::kSimple>(Thread{}, args);
}

}  // namespace arb
