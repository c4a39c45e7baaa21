// What the GPUs of a sweep do while a case is measured, for its records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/runners/cuda/gpus.hpp"
#include "collectives/runners/cuda/nvml.hpp"
#include "reports/record.hpp"

namespace arb {

class GpuWatch {
 public:
  /// `nvml` outlives it.
  explicit GpuWatch(const Nvml& nvml) : nvml_(nvml) {}

  /// Forgets what was seen; from now on these are watched, as far as NVML knows them.
  void begin(const std::vector<Gpu>& gpus);
  /// Reads clocks, power, heat and reasons; takes well below a millisecond per GPU. Between
  /// batches, not within: what NVML says is the average of the last moments.
  void look();

  /// Of all looks since begin(); nullopt: nothing was told.
  std::optional<GpuState> state() const;
  /// Did any GPU run slower than it would, because of heat or power, at any look?
  bool throttled() const { return (reasons_ & kSlowingReasons) != 0; }

 private:
  struct Watched {
    Nvml::Device device = nullptr;
    GpuHealth at_start;
    std::vector<GpuReading> readings;
  };

  const Nvml& nvml_;
  std::vector<Watched> gpus_;
  uint64_t reasons_ = 0;
};

}  // namespace arb
