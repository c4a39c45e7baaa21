// From the run-time names of types.hpp to the compile-time types of operators.hpp (host only).
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "collectives/error.hpp"
#include "collectives/ops/operators.hpp"
#include "collectives/ops/types.hpp"

namespace arb {

/// Calls visitor(std::type_identity<T>{}) with the element type of `dtype`.
template <class Visitor>
decltype(auto) visit(Dtype dtype, Visitor&& visitor) {
  switch (dtype) {
    case Dtype::kInt8:
      return visitor(std::type_identity<int8_t>{});
    case Dtype::kUint8:
      return visitor(std::type_identity<uint8_t>{});
    case Dtype::kInt32:
      return visitor(std::type_identity<int32_t>{});
    case Dtype::kUint32:
      return visitor(std::type_identity<uint32_t>{});
    case Dtype::kInt64:
      return visitor(std::type_identity<int64_t>{});
    case Dtype::kUint64:
      return visitor(std::type_identity<uint64_t>{});
    case Dtype::kFloat16:
      return visitor(std::type_identity<Float16>{});
    case Dtype::kBfloat16:
      return visitor(std::type_identity<Bfloat16>{});
    case Dtype::kFloat32:
      return visitor(std::type_identity<float>{});
    case Dtype::kFloat64:
      return visitor(std::type_identity<double>{});
  }
  throw Error(ErrorKind::kInternal, "unknown element type");
}

}  // namespace arb
