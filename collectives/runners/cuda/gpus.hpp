// What the rest of the program may know of GPUs. No CUDA type is seen here; without the backend the
// same names exist and there are no GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/runners/crew.hpp"
#include "collectives/runners/cuda/peers.hpp"
#include "collectives/runners/runner.hpp"

namespace arb {

struct Gpu {
  std::string name;  // "NVIDIA H100 80GB HBM3"
  std::string uuid;  // "GPU-..."; equal across processes
  std::string pci;   // "0000:1b:00.0"
  int compute_major = 0, compute_minor = 0;
  int multiprocessors = 0;
  uint64_t memory_bytes = 0;
  uint64_t free_bytes = 0;
  uint64_t l2_bytes = 0;
  bool cooperative = false;
};

/// How one GPU reaches the memory of another.
enum class PeerPath {
  kSame,
  kPeer,     // direct, tried with real data
  kRefused,  // the driver says no
  kBroken,   // the driver says yes, but the data did not arrive
};

struct GpuSystem {
  std::string off;     // why there are none: build, driver, no device; empty: there are
  std::string driver;  // "13.0"
  std::string runtime;
  std::vector<Gpu> gpus;
  std::vector<std::vector<PeerPath>> paths;  // [reader][owner]; filled by read_gpus(true)
};

/// Why this build has no CUDA backend; empty: it has one (there may still be no GPU).
std::string cuda_off();

/// Never throws for want of a GPU: says so in `off`. probe: also try every pair with real data.
GpuSystem read_gpus(bool probe);

enum class Launch { kStream, kGraph };

struct GpuSettings {
  int gpus = 1;           // of this process: the first ones that no process before it has
  int ranks_per_gpu = 1;  // rank r of this process is on GPU r / ranks_per_gpu
  Launch launch = Launch::kStream;
  std::string protocol = "auto";  // "simple", "ll"
  bool peer_access = true;        // false: as if no GPU reached another (host memory instead)
  int nodes = 1;                  // of the group, for the choice of slots
  CrewControl control;
};

/// Ranks [0, ranks) on the GPUs of one process, or of all processes of `peers`: ranks_per_gpu *
/// gpus of each, in order of the processes.
class GpuGroup {
 public:
  virtual ~GpuGroup() = default;
  virtual Crew& crew() = 0;
  virtual Runner& runner() = 0;
  /// "direct", "host memory", "messages": how data move between GPUs.
  virtual std::string transport() const = 0;
};

/// Throws Error{kEnvironment}: too few GPUs, ranks that do not fit one cooperative grid (with the
/// numbers). peers: null for one process; outlives the group.
std::unique_ptr<GpuGroup> make_gpu_group(int ranks, const GpuSettings& settings, Peers* peers);

/// What the runner of such a group would choose.
SlotChooser gpu_slot_chooser(const GpuSettings& settings, int ranks);

}  // namespace arb
