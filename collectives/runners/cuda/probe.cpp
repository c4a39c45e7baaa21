// Peer access is believed when data have arrived: drivers say yes where an IOMMU or a virtual
// machine then swallows the writes.
#include <algorithm>
#include <chrono>
#include <string>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/cuda_call.hpp"
#include "collectives/runners/cuda/gpu_world.hpp"
#include "collectives/runners/cuda/launch.hpp"

namespace arb {
namespace {

constexpr uint64_t kWords = 4096;  // 32 KiB: several pages, more than any queue on the way
constexpr double kPatience = 20;   // seconds

/// Region 0 of a GPU's memory is written by itself, region 1 + r by GPU r; then a counter of wrong
/// words for each region of each owner.
struct Prober {
  const GroupMap& map;
  const GroupBlock& block;
  int threads;

  size_t gpus() const { return static_cast<size_t>(map.gpu_count()); }
  static size_t bytes(size_t gpus) {
    return (gpus + 1) * kWords * sizeof(uint64_t) + gpus * (gpus + 1) * sizeof(uint64_t);
  }
  uint64_t* region(int owner, int number) const {
    return reinterpret_cast<uint64_t*>(block.on[static_cast<size_t>(owner)]) +
           static_cast<uint64_t>(number) * kWords;
  }
  uint64_t* counter(int gpu, int owner, int number) const {
    return region(gpu, static_cast<int>(gpus()) + 1) + static_cast<size_t>(owner) * (gpus() + 1) +
           static_cast<size_t>(number);
  }
  static uint64_t seed(int owner, int number) {
    return static_cast<uint64_t>(owner) * 1000003 + static_cast<uint64_t>(number) + 1;
  }

  void run(int gpu, void (*kernel)(ProbeArgs), int owner, int number) const {
    use_device(map.at(gpu).device);
    const ProbeArgs args{region(owner, number), kWords, seed(owner, number),
                         counter(gpu, owner, number)};
    const Grid grid{1, static_cast<unsigned>(threads), false};
    check_cuda(launch(kernel, args, grid, nullptr), "start a kernel that tries peer access");
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(kPatience);
    while (!Stream::idle(nullptr)) {
      if (std::chrono::steady_clock::now() > until) {
        throw Error(ErrorKind::kEnvironment, map.name_of(gpu) + " hangs in the memory of " +
                                                 map.name_of(owner) +
                                                 "; use other GPUs (CUDA_VISIBLE_DEVICES)");
      }
    }
  }
  void write(int gpu, int owner, int number) const { run(gpu, probe_write_kernel, owner, number); }
  bool check(int gpu, int owner, int number) const {
    run(gpu, probe_check_kernel, owner, number);
    uint64_t wrong = 0;
    check_cuda(cudaMemcpy(&wrong, counter(gpu, owner, number), sizeof wrong, cudaMemcpyDefault),
               "read the result of a probe");
    return wrong == 0;
  }
};

}  // namespace

void enable_peer_access(GroupMap& map) {
  for (int reader = 0; reader < map.gpu_count(); ++reader) {
    for (int owner = 0; owner < map.gpu_count(); ++owner) {
      PeerPath& path = map.paths[static_cast<size_t>(reader)][static_cast<size_t>(owner)];
      if (path != PeerPath::kPeer || !map.mine(reader) || !map.mine(owner)) continue;
      int can = 0;
      check_cuda(cudaDeviceCanAccessPeer(&can, map.at(reader).device, map.at(owner).device),
                 "ask about peer access");
      use_device(map.at(reader).device);
      const cudaError_t code =
          can != 0 ? cudaDeviceEnablePeerAccess(map.at(owner).device, 0) : cudaErrorInvalidDevice;
      if (code != cudaSuccess && code != cudaErrorPeerAccessAlreadyEnabled) {
        path = PeerPath::kRefused;
      }
      cudaGetLastError();
    }
  }
}

void probe_paths(GroupMap& map, GroupMemory& memory, Peers* peers, int threads) {
  const auto gpus = static_cast<size_t>(map.gpu_count());
  if (gpus < 2) return;
  const auto block = memory.allocate(std::vector<size_t>(gpus, Prober::bytes(gpus)), 0,
                                     "trying peer access", GroupMemory::Strictness::kWhatCanBe);
  const Prober prober{map, *block, threads};
  const auto meet = [&] {
    if (peers != nullptr) peers->barrier();
  };
  const auto to_try = [&](int reader, int owner) {
    return map.paths[static_cast<size_t>(reader)][static_cast<size_t>(owner)] == PeerPath::kPeer;
  };
  for (int gpu = 0; gpu < map.gpu_count(); ++gpu) {
    if (map.mine(gpu)) prober.write(gpu, gpu, 0);
  }
  meet();
  // '=' arrived, '!' wrong, 'x' refused; of the pairs [reader][owner] whose reader is ours.
  std::string found(gpus * gpus, '.');
  for (int reader = 0; reader < map.gpu_count(); ++reader) {
    for (int owner = 0; owner < map.gpu_count(); ++owner) {
      if (!map.mine(reader) || reader == owner) continue;
      char& verdict = found[static_cast<size_t>(reader) * gpus + static_cast<size_t>(owner)];
      if (!to_try(reader, owner) || block->on[static_cast<size_t>(owner)] == nullptr) {
        verdict = 'x';
        continue;
      }
      verdict = prober.check(reader, owner, 0) ? '=' : '!';
      prober.write(reader, owner, 1 + reader);
    }
  }
  meet();
  for (int owner = 0; owner < map.gpu_count(); ++owner) {
    for (int reader = 0; map.mine(owner) && reader < map.gpu_count(); ++reader) {
      // Who could not even try has left zeros there; that it was refused is said by itself.
      if (reader == owner || !to_try(reader, owner)) continue;
      if (!prober.check(owner, owner, 1 + reader)) {
        char& verdict = found[static_cast<size_t>(reader) * gpus + static_cast<size_t>(owner)];
        if (verdict != 'x') verdict = '!';
      }
    }
  }
  std::vector<std::string> all = {found};
  if (peers != nullptr) all = peers->exchange(found);
  for (size_t reader = 0; reader < gpus; ++reader) {
    for (size_t owner = 0; owner < gpus; ++owner) {
      const auto said = [&](char what) {
        return std::any_of(all.begin(), all.end(), [&](const std::string& each) {
          return each[reader * gpus + owner] == what;
        });
      };
      PeerPath& path = map.paths[reader][owner];
      if (said('x')) {
        path = PeerPath::kRefused;
      } else if (said('!')) {
        path = PeerPath::kBroken;
      }
    }
  }
}

}  // namespace arb
