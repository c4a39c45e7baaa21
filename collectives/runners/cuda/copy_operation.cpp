#include "collectives/runners/cuda/copy_operation.hpp"

#include <algorithm>
#include <string>

#include "collectives/runners/cuda/cuda_call.hpp"
#include "collectives/runners/cuda/device_operation.hpp"

namespace arb {
namespace {

class CopyOperation final : public DeviceOperation {
 public:
  explicit CopyOperation(const Shape& shape)
      : bytes_(shape.bytes()),
        tiling_(shape.count, 1, false, std::max<size_t>(1, shape.count), 1) {}

  void enqueue(std::span<const LocalGpu> gpus, const RankBuffers* buffers,
               int stall_rank) override {
    for (const LocalGpu& gpu : gpus) {
      use_device(gpu.device);
      for (int rank = gpu.first_rank; rank < gpu.first_rank + gpu.ranks; ++rank) {
        const RankBuffers& at = buffers[rank];
        if (rank == stall_rank || at.input == at.output) continue;
        check_cuda(
            cudaMemcpyAsync(at.output, at.input, bytes_, cudaMemcpyDeviceToDevice, gpu.stream),
            "copy an input to its output");
      }
    }
  }

  std::string where(int /*rank*/) const override { return "copying its input to its output"; }
  int waits_for(int /*rank*/) const override { return kNone; }
  const Tiling& tiling() const override { return tiling_; }
  const ReductionOrder* order() const override { return nullptr; }

 private:
  size_t bytes_;
  Tiling tiling_;
};

}  // namespace

std::unique_ptr<Operation> make_gpu_copy(const Shape& shape) {
  return std::make_unique<CopyOperation>(shape);
}

}  // namespace arb
