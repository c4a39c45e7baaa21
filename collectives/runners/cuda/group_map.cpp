#include "collectives/runners/cuda/group_map.hpp"

namespace arb {

int GroupMap::first_own_gpu() const {
  for (int gpu = 0; gpu < gpu_count(); ++gpu) {
    if (mine(gpu)) return gpu;
  }
  return kNone;
}

bool GroupMap::all_linked() const {
  for (int a = 0; a < gpu_count(); ++a) {
    for (int b = 0; b < gpu_count(); ++b) {
      if (!reaches(a, b)) return false;
    }
  }
  return true;
}

bool GroupMap::several_nodes() const {
  return std::any_of(gpus.begin(), gpus.end(),
                     [&](const GroupGpu& gpu) { return gpu.node != gpus.front().node; });
}

std::string GroupMap::name_of(int gpu) const {
  const GroupGpu& named = at(gpu);
  if (named.device != kNone) {
    return "GPU " + std::to_string(named.device) + " (" + named.name + ")";
  }
  return "the GPU of process " + std::to_string(named.process) + " (" + named.name + ")";
}

}  // namespace arb
