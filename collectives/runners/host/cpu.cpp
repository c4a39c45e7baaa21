#include "collectives/runners/host/cpu.hpp"

#include <cstdint>
#include <cstring>

namespace arb {

#if defined(__x86_64__)

namespace {
#if defined(__AVX512F__)
constexpr size_t kVector = 64;
inline void stream_vector(std::byte* to, const std::byte* from) {
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
}
#elif defined(__AVX__)
constexpr size_t kVector = 32;
inline void stream_vector(std::byte* to, const std::byte* from) {
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to),
                      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
#else
constexpr size_t kVector = 16;
inline void stream_vector(std::byte* to, const std::byte* from) {
  _mm_stream_si128(reinterpret_cast<__m128i*>(to),
                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
#endif
}  // namespace

void stream_copy(void* destination, const void* source, size_t bytes, const Ahead& ahead) {
  auto* to = static_cast<std::byte*>(destination);
  const auto* from = static_cast<const std::byte*>(source);
  // Whole cache lines only: a partly streamed line costs a read of memory.
  const size_t head = (0 - reinterpret_cast<uintptr_t>(to)) % kCacheLine;
  if (bytes < head + kCacheLine) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::memcpy(to, from, head);
  size_t done = head;
  for (; done + kCacheLine <= bytes; done += kCacheLine) {
    if (ahead.first != nullptr) _mm_prefetch(ahead.first + done, _MM_HINT_T0);
    if (ahead.second != nullptr) _mm_prefetch(ahead.second + done, _MM_HINT_T0);
    for (size_t v = 0; v < kCacheLine; v += kVector) stream_vector(to + done + v, from + done + v);
  }
  std::memcpy(to + done, from + done, bytes - done);
}

void stream_fence() { _mm_sfence(); }

#else

void stream_copy(void* destination, const void* source, size_t bytes, const Ahead&) {
  std::memcpy(destination, source, bytes);
}

void stream_fence() {}

#endif

}  // namespace arb
