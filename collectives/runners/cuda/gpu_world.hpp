// What everything in the backend shares for as long as a group lives: its map, its memory, the
// streams, and the words through which the host starts and stops kernels.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <vector>

#include "collectives/runners/cuda/device_operation.hpp"
#include "collectives/runners/cuda/group_map.hpp"
#include "collectives/runners/cuda/group_memory.hpp"
#include "collectives/runners/cuda/kernels.hpp"
#include "collectives/runners/cuda/resources.hpp"

namespace arb {

/// What only tests change.
struct GpuTuning {
  int threads = kThreads;      // of a block
  uint64_t first_message = 0;  // where counters of messages, events and tiles begin
  uint32_t first_epoch = 0;    // where the epochs of native kernels begin
  uint64_t most_polls = 0;     // of one wait of a kernel; 0: until the host says stop
};

class NcclGroup;

struct GpuWorld {
  /// Throws Error{kEnvironment}. Collective.
  GpuWorld(int ranks, const GpuSettings& settings, Peers* peers, const GpuTuning& tuning);
  GpuWorld(const GpuWorld&) = delete;
  GpuWorld& operator=(const GpuWorld&) = delete;

  /// Does this process's part of something that all do; who fails, fails all of them with the same
  /// Error{kEnvironment}.
  void all_or_none(const std::function<void()>& part) const;

  /// For a kernel on one of this process's GPUs.
  DeviceControl control(DeviceReport* reports, int stall_rank) const;
  void raise_abort() const;
  bool aborted() const;
  /// Are all GPUs of this process idle?
  bool idle() const;
  /// Waits until they are, at most so long. Throws what went wrong there.
  bool wait_idle(double seconds) const;

  GpuTuning tuning;
  Peers* peers = nullptr;  // null: one process
  GroupMap map;
  GroupMemory memory;
  std::vector<int> driven;  // ranks
  bool sees_all = true;     // this process sees the memory of all ranks
  std::vector<Stream> streams;
  std::vector<LocalGpu> local;      // GPUs of this process
  std::vector<int> local_gpu;       // [local] its number in the map
  PinnedMemory words;               // the abort word, then two latch words for each local GPU
  std::shared_ptr<NcclGroup> nccl;  // null until one of its algorithms is made; ends before streams

  uint32_t* abort_word() const;
  uint64_t* latch_word(size_t local_index, int which) const;  // as the host sees it
  const uint64_t* latch_word_on_device(size_t local_index, int which) const;
};

/// Fills map.paths: which GPUs reach which, tried with real data. map.paths is kPeer where it is
/// worth a try. Collective.
void probe_paths(GroupMap& map, GroupMemory& memory, Peers* peers, int threads);

/// Whether messages between nodes may lie in the memory of GPUs: asked, then tried with real data.
/// Collective, with the same answer everywhere.
bool device_messages_work(const GroupMap& map, Peers& peers);

/// Lets the GPUs of this process reach each other as far as the driver allows it; else kRefused.
void enable_peer_access(GroupMap& map);

/// The kernel and how many of its blocks one GPU runs at once. 0: no cooperative grid at all.
int blocks_at_once(int device, KernelKind kind, int threads);

}  // namespace arb
