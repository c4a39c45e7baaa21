// A thread as device code sees it: its number in the block, and the block's barrier. Device code
// uses no built-in variable directly, so that a CPU can run it.
#pragma once

#include <cstdint>

#include "collectives/runners/cuda/device/memory.hpp"

namespace arb {

#ifdef __CUDACC__
/// What a block's threads share; one per block.
template <class T>
__device__ __forceinline__ T& block_shared() {
  __shared__ T shared;
  return shared;
}
struct Thread {
  __device__ __forceinline__ uint32_t index() const { return threadIdx.x; }
  __device__ __forceinline__ uint32_t count() const { return blockDim.x; }
  __device__ __forceinline__ uint32_t block() const { return blockIdx.x; }
  __device__ __forceinline__ void sync() const { __syncthreads(); }
};
#else
/// Brought by the program that runs device code on a CPU.
class Thread {
 public:
  uint32_t index() const;
  uint32_t count() const;
  uint32_t block() const;
  /// All threads of the block are expected to wait at the same line.
  void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const;
};
/// One object of the block for each key; garbage at first, as on a GPU.
void* block_shared_memory(unsigned long bytes, const void* key);
template <class T>
T& block_shared() {
  static const char key = 0;
  return *static_cast<T*>(block_shared_memory(sizeof(T), &key));
}
#endif

}  // namespace arb
