// What NVIDIA's management library says of GPUs: clocks, power, throttling, errors, links. The
// library is found at run time; whatever it or the GPU does not tell is nullopt.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace arb {

/// Of one moment.
struct GpuReading {
  std::optional<double> sm_clock_mhz, memory_clock_mhz;
  std::optional<double> power_w;
  std::optional<double> temperature_c;
  std::optional<uint64_t> throttle_reasons;  // bits of nvmlClocksThrottleReason*
};

/// What changes rarely or is slow to ask.
struct GpuHealth {
  std::optional<uint64_t> corrected_errors, uncorrected_errors;  // ECC, since the driver started
  std::optional<int> nvlinks;                                    // active ones
  std::optional<uint64_t> nvlink_errors;  // replays, recoveries, CRC errors of the active ones
  std::optional<bool> mig;
  std::optional<int> pcie_generation, pcie_width;  // now; a GPU at rest may have lowered them
};

/// Reasons for which a GPU runs slower than it would: power cap, heat, brakes. Not among them:
/// being idle, and what the user has set.
inline constexpr uint64_t kSlowingReasons = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

/// "software power cap", ...; without "idle".
std::vector<std::string> throttle_names(uint64_t reasons);

class Nvml {
 public:
  using Device = void*;

  /// path: of the library; empty: what ARB_NVML_LIBRARY names, or libnvidia-ml.so.1. Never throws.
  explicit Nvml(const std::string& path = "");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Why there is nothing to ask; empty: there is.
  const std::string& off() const { return off_; }
  std::optional<std::string> driver() const;  // "580.65.06"

  /// The GPU as CUDA names it, first by its UUID, then by its PCI address; null: NVML does not
  /// know it.
  Device find(const std::string& uuid, const std::string& pci) const;

  GpuReading read(Device device) const;
  GpuHealth examine(Device device) const;

 private:
  struct Api;
  std::unique_ptr<Api> api_;  // null if off
  std::string off_;
};

}  // namespace arb
