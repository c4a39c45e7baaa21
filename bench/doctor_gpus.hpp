// What `doctor` says of GPUs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/runners/cuda/gpus.hpp"
#include "collectives/runners/cuda/nvml.hpp"

namespace arb {

struct GpuExamination {
  GpuSystem system;
  std::vector<GpuReading> readings;   // [GPU]
  std::vector<GpuHealth> health;      // [GPU]
  std::string nvml_off;               // why readings and health are empty; "": they are not
  std::optional<std::string> driver;  // "580.65.06"
  std::string nccl;                   // "2.28.9", or why it is not there
  bool has_nccl = false;
};

/// Tries every pair of GPUs with real data, and asks NVML and NCCL as far as they are there.
GpuExamination examine_gpus();

std::string gpus_text(const GpuExamination& examination);
std::vector<std::string> gpu_advice(const GpuExamination& examination);

}  // namespace arb
