#include "grid.hpp"

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace arb {
namespace {

struct Block {
  explicit Block(uint32_t threads) : barrier(threads) {
    // Shared memory of a GPU is not zeroed.
    std::memset(shared, 0xa5, sizeof shared);
  }
  std::barrier<> barrier;
  std::atomic<const void*> key{nullptr};
  alignas(64) std::byte shared[8192];
};

struct Self {
  uint32_t index = 0, count = 0, block = 0;
  Block* memory = nullptr;
};
thread_local Self self;

}  // namespace

uint32_t Thread::index() const { return self.index; }
uint32_t Thread::count() const { return self.count; }
uint32_t Thread::block() const { return self.block; }
void Thread::sync(const char* /*file*/, int /*line*/) const {
  self.memory->barrier.arrive_and_wait();
}

/// The kernels have one shared object each.
void* block_shared_memory(unsigned long bytes, const void* key) {
  const void* first = nullptr;
  self.memory->key.compare_exchange_strong(first, key);
  if ((first != nullptr && first != key) || bytes > sizeof self.memory->shared) std::abort();
  return self.memory->shared;
}

void run_grid(uint32_t blocks, uint32_t threads, const std::function<void(const Thread&)>& kernel) {
  std::vector<std::unique_ptr<Block>> memory;
  for (uint32_t b = 0; b < blocks; ++b) memory.push_back(std::make_unique<Block>(threads));
  std::vector<std::thread> running;
  for (uint32_t b = 0; b < blocks; ++b) {
    for (uint32_t t = 0; t < threads; ++t) {
      running.emplace_back([&kernel, &memory, b, t, threads] {
        self = {t, threads, b, memory[b].get()};
        kernel(Thread{});
        memory[b]->barrier.arrive_and_drop();  // as a GPU, which counts only threads that still run
      });
    }
  }
  for (std::thread& each : running) each.join();
}

}  // namespace arb
