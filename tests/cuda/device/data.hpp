// Inputs of the tests: small values of every element type, different for each rank and place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "collectives/ops/operators.hpp"
#include "collectives/ops/visit.hpp"
#include "collectives/runners/cuda/device/probe.hpp"
#include "collectives/runners/operation.hpp"

namespace arb {

inline void fill_data(std::byte* to, const Shape& shape, uint64_t seed, int rank) {
  visit(shape.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    for (size_t i = 0; i < shape.count; ++i) {
      const uint64_t bits = pattern(seed * 64 + static_cast<uint64_t>(rank), i);
      T value;
      if constexpr (kIsHalf<T>) {
        value = from_float<T>(static_cast<float>(bits % 1021) / 64.0F - 5.0F);
      } else if constexpr (std::is_floating_point_v<T>) {
        value = static_cast<T>(static_cast<double>(bits % 1000003) / 777.0 - 600.0);
      } else {
        value = static_cast<T>(bits);
      }
      std::memcpy(to + i * sizeof(T), &value, sizeof(T));
    }
  });
}

}  // namespace arb
