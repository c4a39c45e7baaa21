// The facts about this machine that decide what can be run and how far results can be trusted.
// Readers of /proc and /sys take the folder that stands for "/", so that tests can use made-up
// machines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/cgroup.hpp"
#include "bench/topology.hpp"

namespace arb {

struct System {
  std::string host, kernel;
  std::string cpu;        // model name; "unknown" if nothing tells
  std::vector<int> cpus;  // numbers of the hardware threads in the affinity mask
  CgroupLimits limits;
  uint64_t memory_total_bytes = 0;
  uint64_t memory_available_bytes = 0;
  Topology topology;
  uint64_t page_bytes = 4096;
  std::optional<std::string> huge_pages;  // transparent_hugepage: "always", "madvise", "never"
  std::optional<std::string> governor;    // cpufreq of the first usable CPU
  std::optional<double> load;             // load average of the last minute, whole machine
  std::string container;                  // "docker", "podman", "kubernetes", ...; empty: none seen

  /// Hardware threads this process can keep busy: affinity and CPU quota (rounded down), at
  /// least 1.
  int usable_cores() const;
  /// What may be allocated without swapping or being killed; a sixteenth is left for others.
  uint64_t usable_memory_bytes() const;
};

/// Call it before threads are pinned: it takes the affinity mask of the calling thread.
System read_system(const std::filesystem::path& root = "/");

/// The parts of read_system() that only depend on files under root.
void read_memory(const std::filesystem::path& root, System& system);
void read_cpu(const std::filesystem::path& root, System& system);
void read_settings(const std::filesystem::path& root, System& system);
std::string find_container(const std::filesystem::path& root);

struct CpuSeconds {
  double work = 0;    // whoever did it, the kernel included
  double stolen = 0;  // by the hypervisor
  bool operator==(const CpuSeconds&) const = default;
};
/// Of `cpus` since boot, in all (/proc/stat); nullopt if not told.
std::optional<CpuSeconds> cpu_seconds(const std::filesystem::path& root,
                                      const std::vector<int>& cpus);
/// Both together.
std::optional<double> busy_seconds(const std::filesystem::path& root, const std::vector<int>& cpus);

/// How many of `cpus` others keep busy: watched for `seconds` while this process sleeps.
std::optional<double> measure_busy_cores(const std::vector<int>& cpus, double seconds);

/// RFC 3339: "2026-01-02T03:04:05Z".
std::string utc_now();

}  // namespace arb
