// Every access that kernels of different blocks, ranks or GPUs may make to the same memory. On a
// GPU these are single PTX instructions (memory_ptx.hpp); a program that runs device code on a CPU
// brings its own (declared in memory_host.hpp).
//
// The rules (PTX memory model, chapter 8 of the ISA):
//  * data, then a flag: all threads store, block barrier, one thread store_release()s the flag. The
//    barrier makes the release cover the stores of the other threads.
//  * flag, then data: one thread load_acquire()s until it is there, block barrier, all read.
//  * a line carries its own flags in the same 8 bytes: no order is needed, only that 8 aligned
//    bytes are never torn.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define ARB_DEVICE __device__ __forceinline__
#else
#define ARB_DEVICE inline
#endif

namespace arb {

enum class Scope {
  kGpu,     // blocks of the same GPU have to see it
  kSystem,  // other GPUs and the host too
};

/// 16 bytes that move with one instruction.
struct alignas(16) Vector16 {
  uint32_t word[4];
};

/// Two pairs of data and flag; each pair is valid on its own.
struct alignas(16) Line {
  uint32_t data0, flag0, data1, flag1;
};
inline constexpr uint64_t kLineBytes = sizeof(Line);
inline constexpr uint64_t kLineData = 8;  // bytes of payload in a line

}  // namespace arb

#ifdef __CUDACC__
#include "collectives/runners/cuda/device/memory_ptx.hpp"
#else
#include "collectives/runners/cuda/device/memory_host.hpp"
#endif
