// Makes operations for ranks on GPUs.
#pragma once

#include "collectives/runners/cuda/gpu_world.hpp"
#include "collectives/runners/runner.hpp"

namespace arb {

class CudaRunner final : public Runner {
 public:
  /// The world outlives the runner and all it makes.
  explicit CudaRunner(GpuWorld& world);

  const Locality& locality() const override { return locality_; }
  Made make(const Schedule& schedule, const Facts& facts, ReductionOrder order, const Shape& shape,
            const SlotConfig& config) override;
  std::optional<std::string> unsupported_native(const std::string& name,
                                                const Shape& shape) const override;
  Made make_native(const std::string& name, const Shape& shape, bool in_place) override;
  std::optional<Made> make_copy_limit(const Shape& shape, bool in_place) override;

 private:
  GpuWorld& world_;
  Locality locality_;
};

}  // namespace arb
