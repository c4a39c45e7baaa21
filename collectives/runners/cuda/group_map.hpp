// Which rank is on which GPU of which process, and which GPUs reach each other's memory. The same
// in all processes of a group.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "collectives/runners/cuda/gpus.hpp"

namespace arb {

enum class KernelKind { kSimple, kLl, kOneShot, kTwoShot };
inline constexpr size_t kKernelKinds = 4;

struct GroupGpu {
  int process = 0;
  int device = kNone;  // CUDA ordinal; kNone: of another process
  std::string name;
  std::string uuid;
  std::array<int, kKernelKinds> blocks_at_once{};  // of each kernel, in one cooperative grid
  int node = 0;
};

struct GroupMap {
  int ranks = 0;
  int ranks_per_gpu = 1;
  int process = 0;
  std::vector<GroupGpu> gpus;                // that have ranks
  std::vector<std::vector<PeerPath>> paths;  // [reader][owner]
  bool device_messages = false;              // messages between nodes use the memory of GPUs

  int gpu_of(int rank) const { return rank / ranks_per_gpu; }
  int first_rank(int gpu) const { return gpu * ranks_per_gpu; }
  int ranks_on(int gpu) const { return std::min(ranks_per_gpu, ranks - first_rank(gpu)); }
  int local_rank(int rank) const { return rank % ranks_per_gpu; }
  /// kNone: this process drives none of them.
  int first_own_gpu() const;
  bool mine(int gpu) const { return at(gpu).process == process; }
  const GroupGpu& at(int gpu) const { return gpus[static_cast<size_t>(gpu)]; }
  int gpu_count() const { return static_cast<int>(gpus.size()); }

  bool reaches(int reader, int owner) const {
    const PeerPath path = paths[static_cast<size_t>(reader)][static_cast<size_t>(owner)];
    return path == PeerPath::kSame || path == PeerPath::kPeer;
  }
  /// Each of them reads and writes the other's memory.
  bool linked(int a, int b) const { return reaches(a, b) && reaches(b, a); }
  bool all_linked() const;
  bool same_node(int a, int b) const { return at(a).node == at(b).node; }
  bool several_nodes() const;
  /// "GPU 1 (NVIDIA H100)", or with its process where there are several.
  std::string name_of(int gpu) const;
};

}  // namespace arb
