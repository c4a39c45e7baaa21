// One number for many elements, so that results of different processes can be compared.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/ops/operators.hpp"
#include "verify/hash.hpp"

namespace arb {

/// What `sum` becomes with one element more.
template <class T>
ARB_HD uint64_t digest_element(uint64_t sum, T value) {
  if constexpr (kIsFloat<T>) {
    using Bits = FloatBits<T>;
    const auto bits = Bits::of(value);
    return mix64(sum ^ (Bits::is_nan(bits) ? ~uint64_t{0} : static_cast<uint64_t>(bits)));
  } else {
    return mix64(sum ^ static_cast<uint64_t>(value));
  }
}

/// `sum` starts as the number of elements of the whole.
template <class T>
uint64_t digest_elements(uint64_t sum, const T* values, size_t count) {
  for (size_t i = 0; i < count; ++i) sum = digest_element(sum, values[i]);
  return sum;
}

}  // namespace arb
