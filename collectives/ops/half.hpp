// The two 16-bit float formats. Conversions are portable bit code without branches, so that loops
// over them vectorise and host and device agree to the last bit; rounding is to nearest even.
#pragma once

#include <cstdint>
#include <cstring>

#include "collectives/ops/hd.hpp"

namespace arb {

struct Float16 {
  uint16_t bits;
};
struct Bfloat16 {
  uint16_t bits;
};

/// std::bit_cast is not callable from device code; memcpy of equal sizes is, and costs nothing.
template <class To, class From>
ARB_HD inline To bits_to(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

/// All ones if x < 0, else 0. Masks instead of ?:, since a branch would stop the vectoriser, and
/// signed arithmetic, since AVX2 has no unsigned comparison.
ARB_HD inline uint32_t negative_mask(uint32_t x) {
  return static_cast<uint32_t>(static_cast<int32_t>(x) >> 31);
}
ARB_HD inline uint32_t select(uint32_t mask, uint32_t yes, uint32_t no) {
  return (yes & mask) | (no & ~mask);
}

ARB_HD inline float to_float(Bfloat16 value) {
  return bits_to<float>(static_cast<uint32_t>(value.bits) << 16);
}

ARB_HD inline float to_float(Float16 value) {
  constexpr uint32_t kRebias = 112U << 23;  // 127 - 15
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000U) << 16;
  const uint32_t magnitude = value.bits & 0x7fffU;
  // Infinity and NaN are rebiased twice, to the largest exponent.
  const uint32_t normal =
      (magnitude << 13) + kRebias + (negative_mask(0x7bffU - magnitude) & kRebias);
  const uint32_t subnormal =
      bits_to<uint32_t>(static_cast<float>(static_cast<int>(magnitude)) * 0x1p-24F);
  return bits_to<float>(sign | select(negative_mask(magnitude - 0x0400U), subnormal, normal));
}

/// A NaN stays one: it keeps the upper bits of its payload and becomes quiet.
ARB_HD inline Bfloat16 to_bfloat16(float value) {
  const uint32_t bits = bits_to<uint32_t>(value);
  const uint32_t nan = negative_mask(0x7f800000U - (bits & 0x7fffffffU));
  const uint32_t increment = 0x7fffU + ((bits >> 16) & 1U);
  return {static_cast<uint16_t>(((bits + (increment & ~nan)) >> 16) | (nan & 0x40U))};
}

ARB_HD inline Float16 to_float16(float value) {
  const uint32_t bits = bits_to<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000U;
  const uint32_t magnitude = bits & 0x7fffffffU;
  // Normal: round at bit 13, rebias; too large becomes infinity.
  const uint32_t carried = ((magnitude + 0x0fffU + ((magnitude >> 13) & 1U)) >> 13) - (112U << 10);
  const uint32_t normal = select(negative_mask(0x7c00U - carried), 0x7c00U, carried);
  // Subnormal: adding 1/2, whose last place is 2^-24, makes the adder round to the subnormal grid.
  const uint32_t subnormal = bits_to<uint32_t>(bits_to<float>(magnitude) + 0.5F) - 0x3f000000U;
  const uint32_t finite = select(negative_mask(magnitude - (113U << 23)), subnormal, normal);
  const uint32_t nan = negative_mask(0x7f800000U - magnitude);
  const uint32_t payload = 0x7e00U | ((magnitude >> 13) & 0x03ffU);
  return {static_cast<uint16_t>(sign | select(nan, payload, finite))};
}

}  // namespace arb
