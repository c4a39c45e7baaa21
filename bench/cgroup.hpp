// What the control groups of this process allow: a container sees the machine's files, but not all
// of its machine. Every reader takes the folder that stands for "/", so that tests can use made-up
// machines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace arb {

struct CgroupLimits {
  std::optional<double> cores;           // CPU quota; the tightest of all levels
  std::optional<uint64_t> memory_bytes;  // limit; the tightest of all levels
  std::optional<uint64_t>
      memory_left_bytes;  // limit minus use (page cache that can go does not count)
};

/// Versions 1 and 2, alone or mixed. What cannot be read counts as no limit.
CgroupLimits read_cgroup_limits(const std::filesystem::path& root);

}  // namespace arb
