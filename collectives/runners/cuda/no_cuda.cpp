// A build without CUDA: there are no GPUs, and it says why.
#include "collectives/error.hpp"
#include "collectives/runners/cuda/gpus.hpp"

namespace arb {

std::string cuda_off() { return ARB_CUDA_REASON; }

GpuSystem read_gpus(bool /*probe*/) {
  GpuSystem none;
  none.off = cuda_off();
  return none;
}

std::unique_ptr<GpuGroup> make_gpu_group(int /*ranks*/, const GpuSettings& /*settings*/,
                                         Peers* /*peers*/) {
  throw Error(ErrorKind::kEnvironment, "this build has no CUDA backend: " + cuda_off());
}

SlotChooser gpu_slot_chooser(const GpuSettings& /*settings*/, int /*ranks*/) { return {}; }

}  // namespace arb
