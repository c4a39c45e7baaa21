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

/// memcpy that writes around the caches: for results that nobody reads soon. The stores are ordered
/// before a later release only after stream_fence().
void stream_copy(void* destination, const void* source, size_t bytes);
void stream_fence();

}  // namespace arb
