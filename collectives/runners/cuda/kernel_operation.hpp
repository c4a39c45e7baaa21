// What operations that our own kernels do have in common: one cooperative grid on each GPU, and
// where its blocks stood when the host stopped them.
#pragma once

#include <string>
#include <vector>

#include "collectives/runners/cuda/gpu_world.hpp"
#include "collectives/runners/cuda/launch.hpp"

namespace arb {

class KernelOperation : public DeviceOperation {
 public:
  /// From the reports, so only after the kernels were stopped.
  int waits_for(int rank) const override;
  std::string where(int rank) const override;

 protected:
  /// blocks: [local GPU] of the grid.
  KernelOperation(const GpuWorld& world, const std::vector<unsigned>& blocks);

  /// The world's own number of a GPU that the operation is asked to use.
  size_t index_of(const LocalGpu& gpu) const;

  template <class Args>
  void start(void (*kernel)(Args), Args& args, const LocalGpu& gpu, int stall_rank) const {
    const size_t index = index_of(gpu);
    if (blocks_[index] == 0) return;
    args.control = control(index, stall_rank);
    use(gpu);
    const Grid grid{blocks_[index], static_cast<unsigned>(world_.tuning.threads), true};
    started(launch(kernel, args, grid, gpu.stream), gpu);
  }

  /// "tile 5 of 8, waits for data from rank 1".
  virtual std::string describe(const DeviceReport& report) const = 0;
  /// "waits for data from rank 1".
  static std::string awaited(const DeviceReport& report);

  const GpuWorld& world_;

 private:
  DeviceControl control(size_t index, int stall_rank) const;
  static void use(const LocalGpu& gpu);
  static void started(cudaError_t code, const LocalGpu& gpu);
  std::vector<DeviceReport> reports_of(int rank) const;

  std::vector<unsigned> blocks_;  // [local GPU]
  std::vector<PinnedMemory> reports_;
};

/// Throws Error{kEnvironment}, in all processes alike, if the blocks ([GPU of the group]) do not
/// run at once. `what`: "8 ranks with 4 lanes and 4 channels each".
void check_grid(const GpuWorld& world, KernelKind kind, const std::vector<unsigned>& blocks,
                const std::vector<std::string>& what);

}  // namespace arb
