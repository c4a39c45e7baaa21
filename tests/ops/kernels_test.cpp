// Every vectorised loop against the scalar operator, for all tails, and with the allowed overlaps.
#include "collectives/ops/kernels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "collectives/ops/operators.hpp"
#include "collectives/ops/visit.hpp"

namespace arb {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
T scalar(Op op, T a, T b) {
  switch (op) {
    case Op::kProd:
      return Prod::apply(a, b);
    case Op::kMin:
      return Min::apply(a, b);
    case Op::kMax:
      return Max::apply(a, b);
    default:
      return Sum::apply(a, b);
  }
}

template <class T>
bool equal(T a, T b) {
  if constexpr (kIsFloat<T>) {
    using Bits = FloatBits<T>;
    if (Bits::is_nan(Bits::of(a)) && Bits::is_nan(Bits::of(b))) return true;
    return Bits::of(a) == Bits::of(b);
  } else {
    return a == b;
  }
}

/// Any bits: subnormals, infinities and NaN are among them.
Bytes any_bits(size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  Bytes result(bytes);
  for (std::byte& byte : result) byte = static_cast<std::byte>(random());
  return result;
}

std::vector<size_t> counts() {
  std::vector<size_t> result;
  for (size_t count = 0; count <= 70; ++count) result.push_back(count);
  for (const size_t count : {127, 128, 129, 1000, 1001, 4095, 4096, 4097}) result.push_back(count);
  return result;
}

enum class Overlap { kNone, kLeft, kRight, kBoth };

template <class T>
void expect_kernel(Dtype dtype, Op op, size_t count, Overlap overlap) {
  constexpr size_t kPad = 3;  // elements before and after must stay
  const size_t bytes = (count + 2 * kPad) * sizeof(T);
  const Bytes left = any_bits(bytes, 1);
  const Bytes right = any_bits(bytes, 2);
  Bytes a = left;
  Bytes b = right;
  Bytes own = any_bits(bytes, 3);
  Bytes& destination = overlap == Overlap::kNone ? own : overlap == Overlap::kRight ? b : a;
  Bytes& second = overlap == Overlap::kBoth ? a : b;
  const Bytes before = destination;
  const size_t offset = kPad * sizeof(T);
  kernels(dtype, op).reduce(destination.data() + offset, a.data() + offset, second.data() + offset,
                            count);
  for (size_t i = 0; i < count; ++i) {
    T x;
    T y;
    T got;
    std::memcpy(&x, left.data() + offset + i * sizeof(T), sizeof x);
    std::memcpy(&y, (overlap == Overlap::kBoth ? left : right).data() + offset + i * sizeof(T),
                sizeof y);
    std::memcpy(&got, destination.data() + offset + i * sizeof(T), sizeof got);
    ASSERT_TRUE(equal(got, scalar(op, x, y)))
        << name(dtype) << ' ' << name(op) << " element " << i << " of " << count;
  }
  const size_t end = offset + count * sizeof(T);
  ASSERT_EQ(std::memcmp(destination.data(), before.data(), offset), 0);
  ASSERT_EQ(std::memcmp(destination.data() + end, before.data() + end, offset), 0);
}

class KernelTest : public testing::TestWithParam<std::tuple<Dtype, Op>> {};

TEST_P(KernelTest, AgreesWithTheScalarOperator) {
  const auto [dtype, op] = GetParam();
  if (const auto reason = unsupported(dtype, op)) {
    EXPECT_THROW(kernels(dtype, op), Error) << *reason;
    return;
  }
  visit(dtype, [dtype = dtype, op = op](auto type) {
    using T = typename decltype(type)::type;
    for (const size_t count : counts()) {
      for (const Overlap overlap :
           {Overlap::kNone, Overlap::kLeft, Overlap::kRight, Overlap::kBoth}) {
        expect_kernel<T>(dtype, op, count, overlap);
        if (HasFatalFailure()) return;
      }
    }
  });
}

TEST_P(KernelTest, OnlyAverageHasAFinish) {
  const auto [dtype, op] = GetParam();
  if (unsupported(dtype, op)) return;
  EXPECT_EQ(kernels(dtype, op).finish != nullptr, op == Op::kAvg);
}

INSTANTIATE_TEST_SUITE_P(All, KernelTest,
                         testing::Combine(testing::ValuesIn(kDtypes), testing::ValuesIn(kOps)),
                         [](const auto& test) {
                           return std::string(name(std::get<0>(test.param))) + "_" +
                                  std::string(name(std::get<1>(test.param)));
                         });

TEST(Finish, DividesEveryElementOnce) {
  for (const Dtype dtype : kDtypes) {
    if (!is_float(dtype)) continue;
    visit(dtype, [dtype](auto type) {
      using T = typename decltype(type)::type;
      if constexpr (kIsFloat<T>) {
        for (const size_t count : counts()) {
          const Bytes input = any_bits(count * sizeof(T), 5);
          Bytes values = input;
          kernels(dtype, Op::kAvg).finish(values.data(), count, 7);
          for (size_t i = 0; i < count; ++i) {
            T before;
            T after;
            std::memcpy(&before, input.data() + i * sizeof(T), sizeof before);
            std::memcpy(&after, values.data() + i * sizeof(T), sizeof after);
            ASSERT_TRUE(equal(after, divide(before, 7))) << name(dtype) << " element " << i;
          }
        }
      }
    });
  }
}

}  // namespace
}  // namespace arb
