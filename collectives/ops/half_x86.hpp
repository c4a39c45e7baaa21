// float16 through the converters of x86 (F16C), 8 elements at a time: the same bits as half.hpp,
// ten times as fast. Only kernels.cpp includes this.
#pragma once

#if defined(__F16C__) && defined(__AVX__)
#define ARB_F16C 1
#include <immintrin.h>

#include <cstddef>

#include "collectives/ops/operators.hpp"

namespace arb::x86 {

inline __m256 load(const Float16* from) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

inline void store(Float16* to, __m256 values) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
}

inline __m256 combine(Sum /*op*/, __m256 a, __m256 b) { return _mm256_add_ps(a, b); }
inline __m256 combine(Prod /*op*/, __m256 a, __m256 b) { return _mm256_mul_ps(a, b); }

/// Reduces a multiple of 8 elements and says how many.
template <class Operator>
size_t reduce(Float16* out, const Float16* a, const Float16* b, size_t count) {
  const size_t whole = count / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) {
    store(out + i, combine(Operator{}, load(a + i), load(b + i)));
  }
  return whole;
}

}  // namespace arb::x86
#endif
