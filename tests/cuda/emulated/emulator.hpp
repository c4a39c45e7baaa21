// What steers the emulated GPUs, and what they have seen. Results on them prove logic: they say
// nothing about speed, nor about the memory of a real GPU beyond the rules modelled here.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace arb::emulated {

enum class Execution {
  kFibers,   // one OS thread, seeded choice among all CUDA threads, exact deadlock detection
  kThreads,  // an OS thread for each CUDA thread, for ThreadSanitizer
};

enum class Concurrency {
  kGenerous,  // all kernels and all their blocks run together
  kMean,      // a device runs one kernel at a time, and of one that is not cooperative only
              // `resident_blocks` blocks, one group after the other
};

using DevicePair = std::pair<int, int>;  // who accesses, who owns

/// What goes wrong on purpose. Counts start at 1; 0: never.
struct Faults {
  int fail_allocation = 0;               // the n-th of cudaMalloc and cudaHostAlloc together
  int fail_launch = 0;                   // the n-th launch; graphs count when they are captured
  int fail_kernel = 0;                   // the n-th kernel to start dies: cudaErrorLaunchFailure
  int fail_ipc_open = 0;                 // the n-th cudaIpcOpenMemHandle
  int fail_host_register = 0;            // the n-th cudaHostRegister
  std::vector<DevicePair> no_peer = {};  // cudaDeviceCanAccessPeer says no
  std::vector<DevicePair> broken_peer =
      {};  // it says yes, but stores are lost and loads are garbage
};

struct Settings {
  // The machine. A driver_version of 0: there is no driver.
  int devices = 4;
  int multiprocessors = 132;
  int blocks_per_multiprocessor = 2;  // what the occupancy functions answer
  uint64_t memory_bytes = uint64_t{4} << 30;
  uint64_t l2_bytes = uint64_t{50} << 20;
  int compute_major = 9, compute_minor = 0;
  int driver_version = 13000;

  // How it runs.
  uint64_t seed = 1;
  Execution execution = Execution::kFibers;  // under ThreadSanitizer always threads
  Concurrency concurrency = Concurrency::kGenerous;
  int resident_blocks = 1;
  int most_fibers = 4096;        // beyond them, blocks of a grid that is not cooperative wait
  double flag_switch = 0.25;     // chance that another thread goes on at a flag or line
  double payload_switch = 0.02;  // ... at a payload access
  bool delays = true;            // now and then a block or thread sleeps for long

  // What it checks.
  bool strict_barriers = true;      // all threads of a block at the same line, and none has left
  bool check_addresses = true;      // kernels touch only what is allocated and accessible
  bool hide_device_memory = false;  // the host that touches device memory gets a SIGSEGV

  // Weak memory.
  bool store_buffer = false;  // what is not released arrives late and in any order
  bool stale_reads = false;   // payload read before may be read again as it was, until an acquire
  int buffered_stores = 64;   // of a block, then they start to leave

  // A synchronising call gives up when all threads have polled this often and nobody stored
  // anything. 0: it never does.
  int silent_rounds = 2;

  Faults faults = {};
};

/// Forgets everything: memory, streams, kernels, errors, counters. Handles and pointers from before
/// are void. Also what a child process calls first after a fork.
void configure(const Settings& settings);
/// The defaults, with what the environment says instead: ARB_EMULATED_DEVICES, _MULTIPROCESSORS,
/// _BLOCKS_PER_MULTIPROCESSOR, _MEMORY_BYTES, _L2_BYTES, _SEED, _EXECUTION (fibers, threads),
/// _CONCURRENCY (generous, mean), _RESIDENT_BLOCKS, _STORE_BUFFER, _STALE_READS (0, 1),
/// _SILENT_ROUNDS, _DRIVER_VERSION, _FAIL_ALLOCATION, _FAIL_LAUNCH, _FAIL_KERNEL, _FAIL_IPC_OPEN,
/// _NO_PEER and _BROKEN_PEER ("0-1,1-0", "all"). Throws std::invalid_argument. With
/// ARB_EMULATED_ALOUD set, errors() are also written to stderr as they happen.
Settings settings_from_environment();
/// In force now; those of the environment before the first configure().
const Settings& settings();

struct Counters {
  uint64_t switches = 0;  // from one CUDA thread to another
  uint64_t launches = 0;  // kernels started
  uint64_t cooperative_launches = 0;
  uint64_t graph_launches = 0;
  uint64_t live_allocations = 0;  // device and pinned, not yet freed
  uint64_t live_streams = 0;
  uint64_t live_events = 0;
};
Counters counters();
/// Bytes of payload, lines and flags that kernels of `device` stored to memory of `owner` (-1: the
/// host).
uint64_t bytes_stored(int device, int owner);

/// What kernels did wrong and what killed them, a line each.
std::vector<std::string> errors();
/// Who waited for what when the last deadlock was found; empty: there was none.
std::string last_deadlock();
/// Whether the last query of a stream or event found that nothing can move unless the host acts.
bool stuck();
/// Called with the text of a deadlock before the kernels are killed.
void on_deadlock(std::function<void(const std::string&)> handler);

/// Whether fibers can be used in this build.
bool has_fibers();

}  // namespace arb::emulated
