// When two elements are equal, for host and device.
#pragma once

#include "collectives/ops/operators.hpp"

namespace arb {

/// Bit by bit: any NaN equals any NaN, -0 differs from +0.
template <class T>
ARB_HD bool same(T a, T b) {
  if constexpr (kIsFloat<T>) {
    using Bits = FloatBits<T>;
    const auto bits_a = Bits::of(a);
    const auto bits_b = Bits::of(b);
    return bits_a == bits_b || (Bits::is_nan(bits_a) && Bits::is_nan(bits_b));
  } else {
    return a == b;
  }
}

}  // namespace arb
