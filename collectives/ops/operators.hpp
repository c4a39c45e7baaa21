// The arithmetic of every element type and operator, shared by the kernels of all runners and the
// oracle.
#pragma once

#include <cstdint>
#include <type_traits>

#include "collectives/ops/half.hpp"
#include "collectives/ops/hd.hpp"

namespace arb {

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, Bfloat16>;
template <class T>
inline constexpr bool kIsFloat = kIsHalf<T> || std::is_floating_point_v<T>;

/// Rounds a float32 result once to T.
template <class T>
ARB_HD inline T from_float(float value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return to_float16(value);
  } else {
    return to_bfloat16(value);
  }
}

/// The layout of a float type, for order comparisons on its bits.
template <class T>
struct FloatBits {
  using Unsigned = std::conditional_t<sizeof(T) == 2, uint16_t,
                                      std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  using Signed = std::make_signed_t<Unsigned>;
  static constexpr int kMantissa = std::is_same_v<T, Float16>    ? 10
                                   : std::is_same_v<T, Bfloat16> ? 7
                                   : sizeof(T) == 4              ? 23
                                                                 : 52;
  static constexpr Unsigned kMagnitude = static_cast<Unsigned>(~Unsigned{0}) >> 1;
  static constexpr Unsigned kInfinity =
      static_cast<Unsigned>(kMagnitude & ~((Unsigned{1} << kMantissa) - 1));
  static constexpr Unsigned kQuietNan =
      static_cast<Unsigned>(kInfinity | (Unsigned{1} << (kMantissa - 1)));

  ARB_HD static Unsigned of(T value) { return bits_to<Unsigned>(value); }
  ARB_HD static bool is_nan(Unsigned bits) {
    return static_cast<Unsigned>(bits & kMagnitude) > kInfinity;
  }
  /// Signed integers in the order of the floats, with -0 just below +0. Its own inverse.
  ARB_HD static Signed order(Unsigned bits) {
    const auto sign = static_cast<Signed>(static_cast<Signed>(bits) >> (8 * sizeof(T) - 1));
    return static_cast<Signed>(bits ^
                               static_cast<Unsigned>(sign & static_cast<Signed>(kMagnitude)));
  }
};

namespace detail {

template <bool kSmaller, class T>
ARB_HD inline T extreme(T a, T b) {
  if constexpr (kIsFloat<T>) {
    using Bits = FloatBits<T>;
    using Unsigned = typename Bits::Unsigned;
    const Unsigned bits_a = Bits::of(a);
    const Unsigned bits_b = Bits::of(b);
    const auto order_a = Bits::order(bits_a);
    const auto order_b = Bits::order(bits_b);
    const bool take_a = kSmaller ? order_a < order_b : order_a > order_b;
    const Unsigned chosen = take_a ? bits_a : bits_b;
    const int nan = int{Bits::is_nan(bits_a)} | int{Bits::is_nan(bits_b)};  // || would branch
    return bits_to<T>(nan != 0 ? Bits::kQuietNan : chosen);
  } else {
    return (kSmaller ? a < b : a > b) ? a : b;
  }
}

}  // namespace detail

struct Sum {
  template <class T>
  ARB_HD static T apply(T a, T b) {
    if constexpr (kIsHalf<T>) {
      return from_float<T>(to_float(a) + to_float(b));
    } else if constexpr (std::is_floating_point_v<T>) {
      return a + b;
    } else {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(
          static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
    }
  }
};

struct Prod {
  template <class T>
  ARB_HD static T apply(T a, T b) {
    if constexpr (kIsHalf<T>) {
      return from_float<T>(to_float(a) * to_float(b));
    } else if constexpr (std::is_floating_point_v<T>) {
      return a * b;
    } else {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(
          static_cast<Unsigned>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b)));
    }
  }
};

struct Min {
  template <class T>
  ARB_HD static T apply(T a, T b) {
    return detail::extreme<true>(a, b);
  }
};

struct Max {
  template <class T>
  ARB_HD static T apply(T a, T b) {
    return detail::extreme<false>(a, b);
  }
};

/// value / ranks, rounded once: a true division, since 1/ranks is not exact.
template <class T>
ARB_HD inline T divide(T value, int ranks) {
  static_assert(kIsFloat<T>);
  if constexpr (kIsHalf<T>) {
    return from_float<T>(to_float(value) / static_cast<float>(ranks));
  } else {
    return value / static_cast<T>(ranks);
  }
}

}  // namespace arb
