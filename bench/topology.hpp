// Packages, cores and caches that this process may use, as hwloc sees them.
#pragma once

#include <cstdint>
#include <string>

namespace arb {

struct Topology {
  int packages = 1;
  int cores = 1;    // physical
  int threads = 1;  // hardware threads
  int numa_nodes = 1;
  uint64_t l2_bytes = 0;  // of one; 0: unknown
  int last_level = 0;     // 3: L3; 0: unknown
  int last_level_caches = 0;
  uint64_t last_level_bytes = 0;  // all of them together
};

/// Of this machine, or of a made-up one in hwloc's words, like "pack:2 l3:1 core:4 pu:2" (for
/// tests). What hwloc cannot tell keeps its default.
Topology read_topology(const std::string& synthetic = "");

}  // namespace arb
