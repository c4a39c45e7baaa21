#include "bench/doctor_gpus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/sizes.hpp"
#include "collectives/runners/cuda/nccl.hpp"

namespace arb {

namespace {

std::string row(const std::string& label, const std::string& value) {
  return fmt::format("  {:<16} {}\n", label, value);
}

std::string label_of(size_t gpu) { return fmt::format("GPU {}", gpu); }

std::string hardware(const Gpu& gpu) {
  return fmt::format("{}, compute {}.{}, {} SMs, {} ({} free), L2 {}, {}, {}{}", gpu.name,
                     gpu.compute_major, gpu.compute_minor, gpu.multiprocessors,
                     format_bytes(gpu.memory_bytes), format_bytes(gpu.free_bytes),
                     format_bytes(gpu.l2_bytes), gpu.pci, gpu.uuid,
                     gpu.cooperative ? "" : ", no cooperative launch");
}

/// Only what is known.
std::string now(const GpuReading& reading, const GpuHealth& health) {
  std::vector<std::string> all;
  if (reading.sm_clock_mhz) all.push_back(fmt::format("SMs at {:.0f} MHz", *reading.sm_clock_mhz));
  if (reading.memory_clock_mhz) {
    all.push_back(fmt::format("memory at {:.0f} MHz", *reading.memory_clock_mhz));
  }
  if (reading.power_w) all.push_back(fmt::format("{:.0f} W", *reading.power_w));
  if (reading.temperature_c) all.push_back(fmt::format("{:.0f} C", *reading.temperature_c));
  if (health.nvlinks) all.push_back(fmt::format("{} NVLinks active", *health.nvlinks));
  if (health.pcie_generation && health.pcie_width) {
    all.push_back(fmt::format("PCIe {} x{}", *health.pcie_generation, *health.pcie_width));
  }
  if (health.uncorrected_errors) {
    all.push_back(fmt::format("{} uncorrected ECC errors", *health.uncorrected_errors));
  }
  if (health.mig.value_or(false)) all.emplace_back("MIG");
  for (const std::string& reason : throttle_names(reading.throttle_reasons.value_or(0))) {
    all.push_back("slowed by " + reason);
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

const char* word(PeerPath path) {
  switch (path) {
    case PeerPath::kSame:
      return "-";
    case PeerPath::kPeer:
      return "direct";
    case PeerPath::kRefused:
      return "no";
    case PeerPath::kBroken:
      return "BROKEN";
  }
  return "?";
}

/// Who reads from whom.
std::string matrix(const GpuSystem& system) {
  if (system.paths.size() < 2) return "";
  std::string head;
  for (size_t owner = 0; owner < system.paths.size(); ++owner) {
    head += fmt::format("{:>8}", owner);
  }
  std::string text = row("peer access", head + "   (row reads column; tried with real data)");
  for (size_t reader = 0; reader < system.paths.size(); ++reader) {
    std::string cells;
    for (const PeerPath path : system.paths[reader]) cells += fmt::format("{:>8}", word(path));
    text += row("  " + label_of(reader), cells);
  }
  return text;
}

size_t pairs(const GpuSystem& system, PeerPath wanted) {
  size_t count = 0;
  for (const auto& paths : system.paths) {
    count += static_cast<size_t>(std::count(paths.begin(), paths.end(), wanted));
  }
  return count;
}

void advise_on_paths(const GpuSystem& system, std::vector<std::string>& all) {
  if (const size_t broken = pairs(system, PeerPath::kBroken); broken > 0) {
    all.push_back(fmt::format(
        "{} of the ways between GPUs lose data although the driver offers them (often an IOMMU or "
        "PCIe ACS); they are not used, messages go through host memory; try iommu=pt",
        broken));
  }
  if (const size_t refused = pairs(system, PeerPath::kRefused); refused > 0) {
    all.push_back(
        fmt::format("{} of the ways between GPUs are refused by the driver: messages go through "
                    "host memory, which is slower",
                    refused));
  }
}

void advise_on_health(size_t gpu, const GpuReading& reading, const GpuHealth& health,
                      std::vector<std::string>& all) {
  const std::string name = label_of(gpu);
  const uint64_t slow = reading.throttle_reasons.value_or(0) & kSlowingReasons;
  if (slow != 0) {
    all.push_back(fmt::format("{} is slowed now by {}; see nvidia-smi -q -d PERFORMANCE,POWER",
                              name, fmt::join(throttle_names(slow), ", ")));
  }
  if (health.uncorrected_errors.value_or(0) > 0) {
    all.push_back(
        fmt::format("{} has had {} uncorrected memory errors since its driver started; "
                    "reset it, and have it looked at if they come back",
                    name, *health.uncorrected_errors));
  }
  if (health.nvlink_errors.value_or(0) > 0) {
    all.push_back(fmt::format("the NVLinks of {} have counted {} errors; see nvidia-smi nvlink -e",
                              name, *health.nvlink_errors));
  }
  if (health.mig.value_or(false)) {
    all.push_back(fmt::format("{} is cut into MIG instances, which do not reach each other", name));
  }
}

}  // namespace

GpuExamination examine_gpus() {
  GpuExamination examination;
  examination.system = read_gpus(true);
  const Nvml nvml;
  examination.nvml_off = nvml.off();
  examination.driver = nvml.driver();
  for (const Gpu& gpu : examination.system.gpus) {
    const Nvml::Device device = nvml.find(gpu.uuid, gpu.pci);
    examination.readings.push_back(nvml.read(device));
    examination.health.push_back(nvml.examine(device));
  }
  const Nccl& nccl = nccl_here();
  examination.has_nccl = nccl.off().empty();
  examination.nccl = examination.has_nccl ? nccl.version_text() : nccl.off();
  return examination;
}

std::string gpus_text(const GpuExamination& examination) {
  const GpuSystem& system = examination.system;
  std::string text = "GPUs\n";
  if (system.gpus.empty()) text += row("none", system.off);
  for (size_t i = 0; i < system.gpus.size(); ++i) {
    text += row(label_of(i), hardware(system.gpus[i]));
    if (i >= examination.readings.size() || i >= examination.health.size()) continue;
    const std::string state = now(examination.readings[i], examination.health[i]);
    if (!state.empty()) text += row("", state);
  }
  text += matrix(system);
  if (!system.driver.empty() || examination.driver) {
    text += row("driver", fmt::format("{}{}", examination.driver.value_or("unknown"),
                                      system.driver.empty() ? "" : ", for CUDA " + system.driver));
  }
  if (!system.runtime.empty()) text += row("runtime", "CUDA " + system.runtime);
  if (!examination.nvml_off.empty()) text += row("NVML", "off: " + examination.nvml_off);
  return text + row("NCCL", examination.has_nccl ? examination.nccl : "off: " + examination.nccl);
}

std::vector<std::string> gpu_advice(const GpuExamination& examination) {
  std::vector<std::string> all;
  const GpuSystem& system = examination.system;
  if (system.gpus.size() == 1) {
    all.emplace_back("with one GPU, --backend cuda needs --ranks-per-gpu 8 to have ranks");
  }
  advise_on_paths(system, all);
  for (size_t i = 0; i < std::min(examination.readings.size(), examination.health.size()); ++i) {
    advise_on_health(i, examination.readings[i], examination.health[i], all);
  }
  return all;
}

}  // namespace arb
