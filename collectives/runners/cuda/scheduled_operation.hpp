// A proved schedule on GPUs.
#pragma once

#include <memory>
#include <vector>

#include "collectives/runners/cuda/compile.hpp"
#include "collectives/runners/cuda/kernel_operation.hpp"

namespace arb {

class DeviceScheduledOperation final : public KernelOperation {
 public:
  /// As for the host's ScheduledOperation. Throws Error{kEnvironment}: no memory, or blocks that
  /// do not run at once. Collective over the processes of the group, which all throw if one does.
  static std::unique_ptr<DeviceScheduledOperation> make(GpuWorld& world, const Schedule& schedule,
                                                        const Facts& facts, ReductionOrder order,
                                                        const Shape& shape,
                                                        const SlotConfig& config);

  void enqueue(std::span<const LocalGpu> gpus, const RankBuffers* buffers, int stall_rank) override;
  const Tiling& tiling() const override { return tiling_; }
  const ReductionOrder* order() const override { return &order_; }

  ~DeviceScheduledOperation() override;
  bool carry() override { return carrier_ == nullptr || carrier_->progress(); }
  bool needs_carrying() const override { return carrier_ != nullptr; }

  /// Does a FIFO lie in host memory, for want of peer access?
  bool uses_host_memory() const { return uses_host_memory_; }

 private:
  DeviceScheduledOperation(GpuWorld& world, const std::vector<unsigned>& blocks,
                           const Schedule& schedule, ReductionOrder order, const Shape& shape,
                           const SlotConfig& config);
  void compile(GpuWorld& world, const Facts& facts, const Shape& shape, const SlotConfig& config,
               int channels);
  std::string describe(const DeviceReport& report) const override;
  void preset(const FifoPlan& plan, uint64_t first_message) const;
  std::vector<FarFifo> far_fifos(const FifoPlan& plan, const CompileInput& input) const;

  Schedule schedule_;  // for where()
  ReductionOrder order_;
  Tiling tiling_;
  bool lines_;
  bool uses_host_memory_ = false;
  std::shared_ptr<const GroupBlock> memory_;
  PinnedMemory far_;                  // this process's ends of FIFOs between nodes
  std::vector<GpuProgram> programs_;  // [local GPU]
  std::unique_ptr<Carrier> carrier_;  // null: on one node
};

}  // namespace arb
