// Writes a pattern to memory, and counts what differs from it: before peer access is trusted. Both
// kernels are one block.
#pragma once

#include "collectives/runners/cuda/device/thread.hpp"
#include "collectives/runners/cuda/tables.hpp"

namespace arb {

/// Value i: all 64 bits change with seed and place (the finaliser of splitmix64).
ARB_HD inline uint64_t pattern(uint64_t seed, uint64_t i) {
  uint64_t x = seed + (i + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

inline constexpr uint32_t kMostProbeThreads = 1024;

ARB_DEVICE void run_probe_write(const Thread& thread, const ProbeArgs& args) {
  for (uint64_t i = thread.index(); i < args.words; i += thread.count()) {
    store(args.memory + i, pattern(args.seed, i));
  }
}

struct ProbeShared {
  uint32_t wrong[kMostProbeThreads];
};

ARB_DEVICE void run_probe_check(const Thread& thread, const ProbeArgs& args) {
  auto& shared = block_shared<ProbeShared>();
  uint32_t wrong = 0;
  for (uint64_t i = thread.index(); i < args.words; i += thread.count()) {
    if (load(static_cast<const uint64_t*>(args.memory) + i) != pattern(args.seed, i)) ++wrong;
  }
  shared.wrong[thread.index()] = wrong;
  thread.sync();
  if (thread.index() != 0) return;
  uint64_t sum = 0;
  for (uint32_t t = 0; t < thread.count(); ++t) sum += shared.wrong[t];
  store(args.wrong, sum);
}

}  // namespace arb
