// Elements in memory, and the switch from their run-time type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/ops/operators.hpp"
#include "collectives/ops/types.hpp"
#include "collectives/runners/cuda/device/memory.hpp"

namespace arb {

/// The unsigned integer of T's size: what is loaded and stored.
template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

template <class T>
ARB_DEVICE T load_element(const std::byte* message, uint64_t index) {
  return bits_to<T>(load(reinterpret_cast<const BitsOf<T>*>(message) + index));
}
template <class T>
ARB_DEVICE void store_element(std::byte* message, uint64_t index, T value) {
  store(reinterpret_cast<BitsOf<T>*>(message) + index, bits_to<BitsOf<T>>(value));
}

/// Calls body.run<T>().
template <class Body>
ARB_DEVICE void with_type(Dtype dtype, const Body& body) {
  switch (dtype) {
    case Dtype::kInt8:
      return body.template run<int8_t>();
    case Dtype::kUint8:
      return body.template run<uint8_t>();
    case Dtype::kInt32:
      return body.template run<int32_t>();
    case Dtype::kUint32:
      return body.template run<uint32_t>();
    case Dtype::kInt64:
      return body.template run<int64_t>();
    case Dtype::kUint64:
      return body.template run<uint64_t>();
    case Dtype::kFloat16:
      return body.template run<Float16>();
    case Dtype::kBfloat16:
      return body.template run<Bfloat16>();
    case Dtype::kFloat32:
      return body.template run<float>();
    case Dtype::kFloat64:
      return body.template run<double>();
  }
}

}  // namespace arb
