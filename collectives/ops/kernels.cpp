#include "collectives/ops/kernels.hpp"

#include <type_traits>

#include "collectives/error.hpp"
#include "collectives/ops/half_x86.hpp"
#include "collectives/ops/operators.hpp"
#include "collectives/ops/visit.hpp"

#if defined(__clang__)
#define ARB_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#else
#define ARB_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

namespace arb {
namespace {

template <class T, class Operator>
void reduce(void* destination, const void* a, const void* b, size_t count) {
  auto* out = static_cast<T*>(destination);
  const auto* left = static_cast<const T*>(a);
  const auto* right = static_cast<const T*>(b);
  size_t i = 0;
#ifdef ARB_F16C
  if constexpr (std::is_same_v<T, Float16> &&
                (std::is_same_v<Operator, Sum> || std::is_same_v<Operator, Prod>)) {
    i = x86::reduce<Operator>(out, left, right, count);
  }
#endif
  // Sound: the only overlap allowed is exact, and then no iteration touches another's element.
  ARB_INDEPENDENT_ITERATIONS
  for (; i < count; ++i) out[i] = Operator::apply(left[i], right[i]);
}

template <class T>
void finish(void* values, size_t count, int ranks) {
  auto* out = static_cast<T*>(values);
  for (size_t i = 0; i < count; ++i) out[i] = divide(out[i], ranks);
}

template <class T>
Kernels kernels_of(Op op) {
  switch (op) {
    case Op::kSum:
      return {reduce<T, Sum>, nullptr};
    case Op::kProd:
      return {reduce<T, Prod>, nullptr};
    case Op::kMin:
      return {reduce<T, Min>, nullptr};
    case Op::kMax:
      return {reduce<T, Max>, nullptr};
    case Op::kAvg:
      if constexpr (kIsFloat<T>) return {reduce<T, Sum>, finish<T>};
      break;
  }
  throw Error(ErrorKind::kInternal, "no kernel for this element type and operator");
}

}  // namespace

Kernels kernels(Dtype dtype, Op op) {
  return visit(dtype, [op](auto type) { return kernels_of<typename decltype(type)::type>(op); });
}

}  // namespace arb
