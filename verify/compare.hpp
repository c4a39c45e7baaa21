// Elements compared and written bit by bit: any NaN equals any NaN, -0 differs from +0.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

#include "collectives/ops/operators.hpp"
#include "verify/compare_bits.hpp"

namespace arb {

/// The bytes are equal, the usual case; if not, elements may still be same().
template <class T>
bool same_bytes(const T* a, const T* b, size_t count) {
  return std::memcmp(a, b, count * sizeof(T)) == 0;
}

/// Values between the two, counted in steps to the next float; nothing for integers and NaN.
template <class T>
std::optional<double> ulps_between(T a, T b) {
  if constexpr (kIsFloat<T>) {
    using Bits = FloatBits<T>;
    const auto bits_a = Bits::of(a);
    const auto bits_b = Bits::of(b);
    if (Bits::is_nan(bits_a) || Bits::is_nan(bits_b)) return std::nullopt;
    const uint64_t steps_a = bits_a & Bits::kMagnitude;
    const uint64_t steps_b = bits_b & Bits::kMagnitude;
    const bool same_sign = ((bits_a ^ bits_b) & ~uint64_t{Bits::kMagnitude}) == 0;
    if (!same_sign) return static_cast<double>(steps_a + steps_b);
    return static_cast<double>(steps_a > steps_b ? steps_a - steps_b : steps_b - steps_a);
  } else {
    return std::nullopt;
  }
}

/// The shortest text that reads back as the same value; integers whole.
template <class T>
std::string text_of(T value) {
  if constexpr (kIsHalf<T>) {
    return text_of(to_float(value));
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) return "nan";
    }
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return {buffer, end};
  }
}

}  // namespace arb
