// Where stores wait before others see them. A block's payload and relaxed stores stay with the
// block until it releases or they leave by themselves, in any order; what goes to the memory of
// another device or of the host then waits once more, in the queue of its device, until a release
// at system scope. The rules are those of the PTX memory model as far as the operations of
// memory.hpp go.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/cuda/emulated/address_space.hpp"
#include "tests/cuda/emulated/kernel.hpp"
#include "tests/cuda/emulated/scheduler.hpp"

namespace arb::emulated {

class WeakMemory {
 public:
  WeakMemory(const Settings& settings, Scheduler& scheduler);

  bool buffers() const { return settings_.store_buffer; }
  bool caches() const { return settings_.stale_reads; }

  void store(Block& block, int owner, uintptr_t address, const void* value, size_t bytes);
  /// weak: payload; may come from what the block has read before.
  void load(CudaThread& thread, uintptr_t address, void* value, size_t bytes, bool weak);
  void acquire(Block& block) { block.stale.clear(); }
  /// The block's own store, gone straight to memory.
  void wrote(Block& block, uintptr_t address, size_t bytes);
  void release(Block& block, bool system);
  /// A flag that is stored with release goes past the block's own stores, which have left.
  void store_released(Block& block, int owner, uintptr_t address, const void* value, size_t bytes,
                      bool system);

  /// Lets something leave, or not.
  void tick();
  /// Lets something leave; false: there is nothing.
  bool push();
  /// Everything that the kernel has stored is seen by everybody.
  void finish(KernelRun& run);
  /// What a kernel that was killed had stored may be lost.
  void forget(Block& block);

 private:
  void leave(Block& block, const Piece& piece);
  void push_block(size_t position);
  void arrive(const Piece& piece);
  void drain_block(Block& block);
  void drain_device(int device);

  const Settings& settings_;
  Scheduler& scheduler_;
  uint64_t block_patience_ = 1, device_patience_ = 1;
  std::vector<Block*> waiting_;  // blocks that hold stores, perhaps
  std::vector<StoreQueue> devices_;
};

}  // namespace arb::emulated
