// What one-shot and two-shot have in common on the host: tables of pointers to every rank's part.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/runners/cuda/kernel_operation.hpp"
#include "collectives/schedule/tiling.hpp"

namespace arb {

/// Blocks for each rank, the same on all GPUs: at most `most`, at least 1, as many as `units` of
/// work are worth and as run at once on every GPU.
int native_blocks(const GpuWorld& world, KernelKind kind, uint64_t units, int most);

class NativeOperation : public KernelOperation {
 public:
  const Tiling& tiling() const override { return tiling_; }
  const ReductionOrder* order() const override { return &order_; }

 protected:
  NativeOperation(const GpuWorld& world, const Shape& shape, int blocks_per_rank);

  /// Of every rank, `bytes` that the others write to: in its GPU's memory, or the host's if
  /// `on_host`. Afterwards place_of() says where.
  void allocate(GpuWorld& world, size_t bytes, bool on_host, const char* purpose);
  std::byte* place_of(int rank) const;

  /// Writes the tables of all GPUs of this process. fill(rank, own): what only the kind knows;
  /// `places` is place_of() of all ranks, in device memory.
  using Fill = void (*)(NativeRank& own, std::byte* place, std::byte* const* places);
  void write_tables(GpuWorld& world, Fill fill);

  NativeArgs args_of(const LocalGpu& gpu) const;

  Shape shape_;
  int blocks_per_rank_;

 private:
  ReductionOrder order_;
  Tiling tiling_;
  std::shared_ptr<const GroupBlock> memory_;
  size_t stride_ = 0;
  bool on_host_ = false;
  std::vector<std::shared_ptr<std::byte>> tables_;  // [local GPU]
};

}  // namespace arb
