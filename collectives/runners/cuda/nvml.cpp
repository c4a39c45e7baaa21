#include "collectives/runners/cuda/nvml.hpp"

#include <array>

#include "collectives/runners/cuda/shared_library.hpp"

namespace arb {
namespace {

// From nvml.h, whose values never change.
constexpr int kSuccess = 0;
constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;
constexpr int kGpuSensor = 0;
constexpr int kCorrected = 0;
constexpr int kUncorrected = 1;
constexpr int kSinceDriverStart = 0;
constexpr unsigned kMostLinks = 18;
constexpr int kLinkErrorKinds = 4;  // replay, recovery, CRC of flits, CRC of data

struct Reason {
  uint64_t bit;
  const char* name;
};
constexpr std::array kReasons = {
    Reason{0x2, "application clocks"},    Reason{0x4, "software power cap"},
    Reason{0x8, "hardware slowdown"},     Reason{0x10, "sync boost"},
    Reason{0x20, "software thermal"},     Reason{0x40, "hardware thermal"},
    Reason{0x80, "hardware power brake"}, Reason{0x100, "display clocks"},
};

/// Calls what the library may lack; nullopt if it does or if the call fails.
template <typename Value, typename Function, typename... Arguments>
std::optional<Value> ask(Function* function, Arguments... arguments) {
  Value value{};
  if (function == nullptr || function(arguments..., &value) != kSuccess) return std::nullopt;
  return value;
}

template <typename To, typename From>
std::optional<To> as(const std::optional<From>& value) {
  return value ? std::optional(static_cast<To>(*value)) : std::nullopt;
}

}  // namespace

struct Nvml::Api {
  using Counter = unsigned long long;  // as in nvml.h

  explicit Api(const std::string& path) : library(path, "ARB_NVML_LIBRARY", "libnvidia-ml.so.1") {}

  SharedLibrary library;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*by_uuid)(const char*, Device*) = nullptr;
  int (*by_pci)(const char*, Device*) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*reasons)(Device, Counter*) = nullptr;
  int (*ecc)(Device, int, int, Counter*) = nullptr;
  int (*link_state)(Device, unsigned, int*) = nullptr;
  int (*link_errors)(Device, unsigned, int, Counter*) = nullptr;
  int (*mig)(Device, unsigned*, unsigned*) = nullptr;
  int (*pcie_generation)(Device, unsigned*) = nullptr;
  int (*pcie_width)(Device, unsigned*) = nullptr;

  void find_all() {
    library.find(init, "nvmlInit_v2");
    library.find(shutdown, "nvmlShutdown");
    library.find(error_string, "nvmlErrorString");
    library.find(driver_version, "nvmlSystemGetDriverVersion");
    library.find(by_uuid, "nvmlDeviceGetHandleByUUID");
    library.find(by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
    library.find(clock, "nvmlDeviceGetClockInfo");
    library.find(power, "nvmlDeviceGetPowerUsage");
    library.find(temperature, "nvmlDeviceGetTemperature");
    // Renamed in driver 535; the old name is still there, but need not be for ever.
    if (!library.find(reasons, "nvmlDeviceGetCurrentClocksEventReasons")) {
      library.find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    }
    library.find(ecc, "nvmlDeviceGetTotalEccErrors");
    library.find(link_state, "nvmlDeviceGetNvLinkState");
    library.find(link_errors, "nvmlDeviceGetNvLinkErrorCounter");
    library.find(mig, "nvmlDeviceGetMigMode");
    library.find(pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
    library.find(pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
  }

  std::string start() {
    if (!library.is_open()) return library.error();
    find_all();
    if (init == nullptr) return library.name() + " has no nvmlInit_v2";
    const int code = init();
    if (code == kSuccess) return "";
    return "nvmlInit: " + (error_string != nullptr ? std::string(error_string(code))
                                                   : "error " + std::to_string(code));
  }

  std::optional<uint64_t> errors_of_link(Device device, unsigned link) const {
    uint64_t sum = 0;
    bool told = false;
    for (int kind = 0; kind < kLinkErrorKinds; ++kind) {
      const auto count = ask<Counter>(link_errors, device, link, kind);
      if (!count) continue;
      told = true;
      sum += *count;
    }
    return told ? std::optional(sum) : std::nullopt;
  }

  void examine_links(Device device, GpuHealth& health) const {
    for (unsigned link = 0; link < kMostLinks; ++link) {
      const auto active = ask<int>(link_state, device, link);
      if (!active) continue;  // no such link
      health.nvlinks = health.nvlinks.value_or(0) + (*active != 0 ? 1 : 0);
      if (*active == 0) continue;
      if (const auto errors = errors_of_link(device, link)) {
        health.nvlink_errors = health.nvlink_errors.value_or(0) + *errors;
      }
    }
  }
};

std::vector<std::string> throttle_names(uint64_t reasons) {
  std::vector<std::string> names;
  for (const Reason& reason : kReasons) {
    if ((reasons & reason.bit) != 0) names.emplace_back(reason.name);
  }
  return names;
}

Nvml::Nvml(const std::string& path) : api_(std::make_unique<Api>(path)) {
  off_ = api_->start();
  if (!off_.empty()) api_.reset();
}

Nvml::~Nvml() {
  if (api_ != nullptr && api_->shutdown != nullptr) api_->shutdown();
}

std::optional<std::string> Nvml::driver() const {
  char text[96] = "";
  if (api_ == nullptr || api_->driver_version == nullptr) return std::nullopt;
  if (api_->driver_version(text, sizeof text) != kSuccess) return std::nullopt;
  return text;
}

Nvml::Device Nvml::find(const std::string& uuid, const std::string& pci) const {
  if (api_ == nullptr) return nullptr;
  if (const auto device = ask<Device>(api_->by_uuid, uuid.c_str())) return *device;
  return ask<Device>(api_->by_pci, pci.c_str()).value_or(nullptr);
}

GpuReading Nvml::read(Device device) const {
  GpuReading reading;
  if (api_ == nullptr || device == nullptr) return reading;
  reading.sm_clock_mhz = as<double>(ask<unsigned>(api_->clock, device, kSmClock));
  reading.memory_clock_mhz = as<double>(ask<unsigned>(api_->clock, device, kMemoryClock));
  if (const auto milliwatts = ask<unsigned>(api_->power, device)) {
    reading.power_w = *milliwatts * 1e-3;
  }
  reading.temperature_c = as<double>(ask<unsigned>(api_->temperature, device, kGpuSensor));
  reading.throttle_reasons = as<uint64_t>(ask<Api::Counter>(api_->reasons, device));
  return reading;
}

GpuHealth Nvml::examine(Device device) const {
  GpuHealth health;
  if (api_ == nullptr || device == nullptr) return health;
  const auto errors = [&](int kind) {
    return as<uint64_t>(ask<Api::Counter>(api_->ecc, device, kind, kSinceDriverStart));
  };
  health.corrected_errors = errors(kCorrected);
  health.uncorrected_errors = errors(kUncorrected);
  api_->examine_links(device, health);
  unsigned mode = 0;
  unsigned pending = 0;
  if (api_->mig != nullptr && api_->mig(device, &mode, &pending) == kSuccess) {
    health.mig = mode != 0;
  }
  health.pcie_generation = as<int>(ask<unsigned>(api_->pcie_generation, device));
  health.pcie_width = as<int>(ask<unsigned>(api_->pcie_width, device));
  return health;
}

}  // namespace arb
