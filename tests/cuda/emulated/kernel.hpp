// A kernel in flight: its blocks and their threads.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/cuda/emulated/fiber.hpp"
#include "tests/cuda/emulated/store_queue.hpp"

namespace arb::emulated {

/// What a launch asks for.
struct KernelImage {
  const void* function = nullptr;
  void (*invoke)(const void* function, const void* argument) = nullptr;
  std::vector<std::max_align_t> argument;
  std::string name;
  unsigned blocks = 1, threads = 1;
  bool cooperative = false;
  int device = 0;
};

struct KernelRun;
struct Block;
struct CudaThread;

/// A place that a thread has polled, in the list of those who polled it.
struct Watch {
  CudaThread* thread = nullptr;
  Watch* previous = nullptr;
  Watch* next = nullptr;
  uintptr_t address = 0;
  uint32_t bucket = 0;
  uint64_t version = 0;  // of the bucket, before it was read
};

struct CudaThread {
  static constexpr int kMostWatches = 8;
  enum class State : unsigned char { kRunnable, kBarrier, kParked, kDone };

  Block* block = nullptr;
  uint32_t index = 0;
  State state = State::kRunnable;
  bool linked = false;       // its watches are in their lists
  bool watches_all = false;  // more places than there are watches, or none
  uint8_t watch_count = 0;
  uint64_t changes = 0;  // of memory, when it began to look
  uint32_t slot = 0;     // where it is in block->runnable, or in the list of those that watch all
  Fiber fiber;
  const char* file = "";  // where it waits at a barrier
  int line = 0;
  uint64_t asleep_until = 0;
  std::array<Watch, kMostWatches> watches;
};

/// Shared memory of a block: one object for each type that asks for it.
class SharedMemory {
 public:
  static constexpr size_t kBytes = 48 * 1024;
  void* find(const void* key, size_t bytes, uint64_t garbage);
  bool holds(uintptr_t address) const {
    const auto begin = reinterpret_cast<uintptr_t>(memory_.data());
    return !memory_.empty() && address >= begin && address < begin + kBytes;
  }

 private:
  struct Entry {
    std::atomic<const void*> key{nullptr};
    size_t offset = 0;
  };
  std::mutex mutex_;
  std::array<Entry, 16> entries_;
  std::vector<std::max_align_t> memory_;
  size_t used_ = 0;
};

struct Block {
  KernelRun* run = nullptr;
  uint32_t index = 0;
  std::vector<CudaThread*> threads;
  std::vector<CudaThread*> runnable;
  uint32_t slot = 0;  // where it is in the list of blocks with runnable threads
  uint32_t arrived = 0, exited = 0;
  const CudaThread* first_arrived = nullptr;  // at the barrier that is not yet open
  uint64_t asleep_until = 0;
  SharedMemory shared;
  StoreQueue stores;   // not yet seen by other blocks
  bool waits = false;  // listed as one that holds stores
  ReadCache stale;     // payload as it was read

  // Where threads are OS threads.
  std::mutex mutex;
  std::condition_variable opened;
  uint64_t generation = 0;
  std::vector<std::thread> workers;
  std::vector<std::unique_ptr<CudaThread>> own_threads;
  bool strict = true;
  std::string misuse;
  std::atomic<uint32_t> left{0};
};

struct KernelRun {
  std::shared_ptr<const KernelImage> image;
  uint64_t number = 0;  // of the launch
  uint32_t next_block = 0;
  uint32_t live_blocks = 0;
  bool done = false;
  bool failed = false;
  cudaError_t error = cudaErrorLaunchFailure;  // what it fails with
  std::vector<std::unique_ptr<Block>> blocks;  // those started

  std::string describe() const;
};

}  // namespace arb::emulated
