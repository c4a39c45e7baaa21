// Operators on raw 32-bit words, as they lie in vectors and lines: elements of 1 to 8 bytes, little
// end first. And the one switch from (element type, operator) to a body.
#pragma once

#include <cstdint>

#include "collectives/ops/operators.hpp"
#include "collectives/ops/types.hpp"
#include "collectives/runners/cuda/device/memory.hpp"

/// Before a loop over registers: it must unroll, or they become local memory.
#ifdef __CUDACC__
#define ARB_UNROLL _Pragma("unroll")
#else
#define ARB_UNROLL
#endif

namespace arb {

/// The payload of a line.
struct Vector8 {
  uint32_t word[2];
};

/// The unsigned integer as large as an element: what payload is loaded and stored as.
template <int kBytes>
struct RawOf;
template <>
struct RawOf<1> {
  using Type = uint8_t;
};
template <>
struct RawOf<2> {
  using Type = uint16_t;
};
template <>
struct RawOf<4> {
  using Type = uint32_t;
};
template <>
struct RawOf<8> {
  using Type = uint64_t;
};
template <class T>
using Raw = typename RawOf<static_cast<int>(sizeof(T))>::Type;

/// a (op) b, divided by `ranks` unless that is 0 (averages; float types only).
template <class T, class Operator>
struct CombineElements {
  static constexpr bool kDivides = kIsFloat<T> && std::is_same_v<Operator, Sum>;

  int ranks;

  ARB_DEVICE Raw<T> operator()(Raw<T> a, Raw<T> b) const {
    T value = Operator::apply(bits_to<T>(a), bits_to<T>(b));
    if constexpr (kDivides) {
      if (ranks != 0) value = divide(value, ranks);
    }
    return bits_to<Raw<T>>(value);
  }
};

template <class T>
struct DivideElements {
  int ranks;

  ARB_DEVICE Raw<T> operator()(Raw<T> a, Raw<T>) const {
    return bits_to<Raw<T>>(divide(bits_to<T>(a), ranks));
  }
};

/// f(a, b) of every element of values of `word`s.
template <class T, class Value, class Function>
ARB_DEVICE Value for_each_element(const Value& a, const Value& b, const Function& f) {
  constexpr int kWords = static_cast<int>(sizeof(Value) / sizeof(uint32_t));
  Value result;
  if constexpr (sizeof(T) == 8) {
    ARB_UNROLL
    for (int w = 0; w < kWords; w += 2) {
      const uint64_t left = a.word[w] | static_cast<uint64_t>(a.word[w + 1]) << 32;
      const uint64_t right = b.word[w] | static_cast<uint64_t>(b.word[w + 1]) << 32;
      const uint64_t both = f(left, right);
      result.word[w] = static_cast<uint32_t>(both);
      result.word[w + 1] = static_cast<uint32_t>(both >> 32);
    }
  } else {
    constexpr int kBits = 8 * static_cast<int>(sizeof(T));
    ARB_UNROLL
    for (int w = 0; w < kWords; ++w) {
      uint32_t both = 0;
      ARB_UNROLL
      for (int at = 0; at < 32; at += kBits) {
        const auto left = static_cast<Raw<T>>(a.word[w] >> at);
        const auto right = static_cast<Raw<T>>(b.word[w] >> at);
        both |= static_cast<uint32_t>(f(left, right)) << at;
      }
      result.word[w] = both;
    }
  }
  return result;
}

/// a (op) b as above, for Vector16, Vector8, or one element as its Raw.
template <class T, class Operator, class Value>
ARB_DEVICE Value combine(const Value& a, const Value& b, int ranks = 0) {
  if constexpr (std::is_integral_v<Value>) {
    return CombineElements<T, Operator>{ranks}(a, b);
  } else {
    return for_each_element<T>(a, b, CombineElements<T, Operator>{ranks});
  }
}

/// What makes an average of a sum; nothing for other operators.
template <class T, class Operator, class Value>
ARB_DEVICE Value average(const Value& sum, int ranks) {
  if constexpr (!CombineElements<T, Operator>::kDivides) {
    return sum;
  } else if constexpr (std::is_integral_v<Value>) {
    return DivideElements<T>{ranks}(sum, sum);
  } else {
    return for_each_element<T>(sum, sum, DivideElements<T>{ranks});
  }
}

namespace detail {

template <class T, class Body>
ARB_DEVICE void with_operator(Op op, const Body& body) {
  switch (op) {
    case Op::kProd:
      return body.template run<T, Prod>();
    case Op::kMin:
      return body.template run<T, Min>();
    case Op::kMax:
      return body.template run<T, Max>();
    default:  // an average is a sum, divided at its end
      return body.template run<T, Sum>();
  }
}

template <class T, class Body>
ARB_DEVICE void with_order(Op op, const Body& body) {
  if (op == Op::kMin) return body.template run<T, Min>();
  body.template run<T, Max>();
}

}  // namespace detail

/// Calls body.run<T, Operator>(): 34 bodies, as sum and product of signed integers are those of the
/// unsigned ones. Outside all loops over elements.
template <class Body>
ARB_DEVICE void dispatch(Dtype dtype, Op op, const Body& body) {
  const bool ordered = op == Op::kMin || op == Op::kMax;
  switch (dtype) {
    case Dtype::kInt8:
      if (ordered) return detail::with_order<int8_t>(op, body);
      [[fallthrough]];
    case Dtype::kUint8:
      return detail::with_operator<uint8_t>(op, body);
    case Dtype::kInt32:
      if (ordered) return detail::with_order<int32_t>(op, body);
      [[fallthrough]];
    case Dtype::kUint32:
      return detail::with_operator<uint32_t>(op, body);
    case Dtype::kInt64:
      if (ordered) return detail::with_order<int64_t>(op, body);
      [[fallthrough]];
    case Dtype::kUint64:
      return detail::with_operator<uint64_t>(op, body);
    case Dtype::kFloat16:
      return detail::with_operator<Float16>(op, body);
    case Dtype::kBfloat16:
      return detail::with_operator<Bfloat16>(op, body);
    case Dtype::kFloat32:
      return detail::with_operator<float>(op, body);
    case Dtype::kFloat64:
      return detail::with_operator<double>(op, body);
  }
}

/// size_of(dtype), callable here.
ARB_DEVICE uint32_t element_bytes(Dtype dtype) {
  switch (dtype) {
    case Dtype::kInt8:
    case Dtype::kUint8:
      return 1;
    case Dtype::kFloat16:
    case Dtype::kBfloat16:
      return 2;
    case Dtype::kInt32:
    case Dtype::kUint32:
    case Dtype::kFloat32:
      return 4;
    default:
      return 8;
  }
}

}  // namespace arb
