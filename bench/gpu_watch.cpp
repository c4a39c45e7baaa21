#include "bench/gpu_watch.hpp"

#include <algorithm>

#include "bench/measure/statistics.hpp"

namespace arb {
namespace {

template <typename Value>
void keep_lowest(std::optional<Value>& kept, const std::optional<Value>& value) {
  if (value && (!kept || *value < *kept)) kept = value;
}

template <typename Value>
void keep_highest(std::optional<Value>& kept, const std::optional<Value>& value) {
  if (value && (!kept || *value > *kept)) kept = value;
}

std::optional<double> median_of(const std::vector<GpuReading>& readings,
                                std::optional<double> GpuReading::*field) {
  std::vector<double> values;
  for (const GpuReading& reading : readings) {
    if (reading.*field) values.push_back(*(reading.*field));
  }
  return values.empty() ? std::nullopt : std::optional(median(values));
}

/// Counters may start anew when a driver is loaded again: then nothing is known.
void add_growth(std::optional<int64_t>& sum, const std::optional<uint64_t>& before,
                const std::optional<uint64_t>& after) {
  if (!before || !after || *after < *before) return;
  sum = sum.value_or(0) + static_cast<int64_t>(*after - *before);
}

bool tells_anything(const GpuState& state) {
  return state.sm_clock_mhz || state.memory_clock_mhz || state.power_w || state.temperature_c ||
         state.ecc_errors || state.nvlinks || !state.throttle_reasons.empty();
}

}  // namespace

void GpuWatch::begin(const std::vector<Gpu>& gpus) {
  gpus_.clear();
  reasons_ = 0;
  for (const Gpu& gpu : gpus) {
    const Nvml::Device device = nvml_.find(gpu.uuid, gpu.pci);
    if (device != nullptr) gpus_.push_back({device, nvml_.examine(device), {}});
  }
}

void GpuWatch::look() {
  for (Watched& gpu : gpus_) {
    gpu.readings.push_back(nvml_.read(gpu.device));
    reasons_ |= gpu.readings.back().throttle_reasons.value_or(0);
  }
}

std::optional<GpuState> GpuWatch::state() const {
  GpuState state;
  for (const Watched& gpu : gpus_) {
    keep_lowest(state.sm_clock_mhz, median_of(gpu.readings, &GpuReading::sm_clock_mhz));
    keep_lowest(state.memory_clock_mhz, median_of(gpu.readings, &GpuReading::memory_clock_mhz));
    keep_highest(state.power_w, median_of(gpu.readings, &GpuReading::power_w));
    keep_highest(state.temperature_c, median_of(gpu.readings, &GpuReading::temperature_c));
    const GpuHealth now = nvml_.examine(gpu.device);
    add_growth(state.ecc_errors, gpu.at_start.uncorrected_errors, now.uncorrected_errors);
    add_growth(state.nvlink_errors, gpu.at_start.nvlink_errors, now.nvlink_errors);
    std::optional<int64_t> links;
    if (now.nvlinks) links = *now.nvlinks;
    keep_lowest(state.nvlinks, links);
  }
  state.throttle_reasons = throttle_names(reasons_);
  return tells_anything(state) ? std::optional(state) : std::nullopt;
}

}  // namespace arb
