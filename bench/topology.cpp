#include "bench/topology.hpp"

#include <hwloc.h>

#include <algorithm>
#include <memory>
#include <type_traits>

namespace arb {

namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

Handle load(const std::string& synthetic) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Handle topology(raw);
  if (!synthetic.empty() && hwloc_topology_set_synthetic(raw, synthetic.c_str()) != 0)
    return nullptr;
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

int count(const Handle& topology, hwloc_obj_type_t type) {
  return std::max(1, hwloc_get_nbobjs_by_type(topology.get(), type));
}

uint64_t size_of_all(const Handle& topology, hwloc_obj_type_t type) {
  uint64_t bytes = 0;
  hwloc_obj_t cache = nullptr;
  while ((cache = hwloc_get_next_obj_by_type(topology.get(), type, cache)) != nullptr) {
    bytes += cache->attr->cache.size;
  }
  return bytes;
}

}  // namespace

Topology read_topology(const std::string& synthetic) {
  Topology result;
  const Handle topology = load(synthetic);
  if (!topology) return result;
  result.packages = count(topology, HWLOC_OBJ_PACKAGE);
  result.cores = count(topology, HWLOC_OBJ_CORE);
  result.threads = count(topology, HWLOC_OBJ_PU);
  result.numa_nodes = count(topology, HWLOC_OBJ_NUMANODE);
  const hwloc_obj* l2 = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_L2CACHE, nullptr);
  if (l2 != nullptr) result.l2_bytes = l2->attr->cache.size;

  struct Level {
    hwloc_obj_type_t type;
    int number;
  };
  constexpr Level kLevels[] = {{HWLOC_OBJ_L5CACHE, 5},
                               {HWLOC_OBJ_L4CACHE, 4},
                               {HWLOC_OBJ_L3CACHE, 3},
                               {HWLOC_OBJ_L2CACHE, 2},
                               {HWLOC_OBJ_L1CACHE, 1}};
  for (const Level& level : kLevels) {
    result.last_level_caches = std::max(0, hwloc_get_nbobjs_by_type(topology.get(), level.type));
    if (result.last_level_caches == 0) continue;
    result.last_level = level.number;
    result.last_level_bytes = size_of_all(topology, level.type);
    break;
  }
  return result;
}

}  // namespace arb
