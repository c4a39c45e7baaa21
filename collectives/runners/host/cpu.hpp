// The few machine instructions that the host runner names itself.
#pragma once

#include <cstddef>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace arb {

inline constexpr size_t kCacheLine = 64;

/// Tells the core that this is a spin loop.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// What is read next, asked for while something else is written: pointers to as many bytes as are
/// written.
struct Ahead {
  const std::byte* first = nullptr;
  const std::byte* second = nullptr;
};

/// memcpy that writes around the caches: for results that nobody reads soon. The stores are ordered
/// before a later release only after stream_fence(). Where a core alternates between reading and
/// writing blocks, `ahead` keeps memory busy meanwhile (38 -> 51 GB/s on the 2-core AMD EPYC
/// virtual machine of docs/performance.md).
void stream_copy(void* destination, const void* source, size_t bytes, const Ahead& ahead = {});

/// Of a block that is computed in the first-level cache and then streamed out; smaller ones and
/// `ahead` fit together.
inline constexpr size_t kStreamBlockBytes = 2048;

void stream_fence();

}  // namespace arb
