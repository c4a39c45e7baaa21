// What the operators promise beyond arithmetic: wrapping, NaN, signed zeros, one rounding.
#include "collectives/ops/operators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace arb {
namespace {

template <class T>
T make(float value) {
  if constexpr (kIsHalf<T>) {
    return from_float<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
class FloatOperators : public testing::Test {};
using FloatTypes = testing::Types<Float16, Bfloat16, float, double>;
TYPED_TEST_SUITE(FloatOperators, FloatTypes);

TYPED_TEST(FloatOperators, MinAndMaxPropagateNanAsTheCanonicalOne) {
  using Bits = FloatBits<TypeParam>;
  const auto odd_nan = bits_to<TypeParam>(static_cast<typename Bits::Unsigned>(
      Bits::kInfinity | 1 | (typename Bits::Unsigned{1} << (8 * sizeof(TypeParam) - 1))));
  for (const float other : {0.0F, -1.0F, INFINITY, -INFINITY}) {
    const auto value = make<TypeParam>(other);
    EXPECT_EQ(Bits::of(Min::apply(odd_nan, value)), Bits::kQuietNan);
    EXPECT_EQ(Bits::of(Min::apply(value, odd_nan)), Bits::kQuietNan);
    EXPECT_EQ(Bits::of(Max::apply(odd_nan, value)), Bits::kQuietNan);
    EXPECT_EQ(Bits::of(Max::apply(value, odd_nan)), Bits::kQuietNan);
  }
}

TYPED_TEST(FloatOperators, MinusZeroIsBelowPlusZero) {
  using Bits = FloatBits<TypeParam>;
  const auto plus = make<TypeParam>(0.0F);
  const auto minus = make<TypeParam>(-0.0F);
  ASSERT_NE(Bits::of(plus), Bits::of(minus));
  EXPECT_EQ(Bits::of(Min::apply(plus, minus)), Bits::of(minus));
  EXPECT_EQ(Bits::of(Min::apply(minus, plus)), Bits::of(minus));
  EXPECT_EQ(Bits::of(Max::apply(plus, minus)), Bits::of(plus));
  EXPECT_EQ(Bits::of(Max::apply(minus, plus)), Bits::of(plus));
}

TYPED_TEST(FloatOperators, EveryOperatorCommutesBitForBit) {
  using Bits = FloatBits<TypeParam>;
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const auto a = bits_to<TypeParam>(static_cast<typename Bits::Unsigned>(random()));
    const auto b = bits_to<TypeParam>(static_cast<typename Bits::Unsigned>(random()));
    ASSERT_EQ(Bits::of(Min::apply(a, b)), Bits::of(Min::apply(b, a)));
    ASSERT_EQ(Bits::of(Max::apply(a, b)), Bits::of(Max::apply(b, a)));
    if (Bits::is_nan(Bits::of(a)) || Bits::is_nan(Bits::of(b))) continue;
    ASSERT_EQ(Bits::of(Sum::apply(a, b)), Bits::of(Sum::apply(b, a)));
    ASSERT_EQ(Bits::of(Prod::apply(a, b)), Bits::of(Prod::apply(b, a)));
  }
}

TYPED_TEST(FloatOperators, MinAndMaxAgreeWithTheRealNumbers) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<float> any(-100, 100);
  for (int i = 0; i < 10'000; ++i) {
    const auto a = make<TypeParam>(any(random));
    const auto b = make<TypeParam>(any(random));
    const auto real = [](TypeParam x) {
      if constexpr (kIsHalf<TypeParam>) {
        return static_cast<double>(to_float(x));
      } else {
        return static_cast<double>(x);
      }
    };
    ASSERT_EQ(real(Min::apply(a, b)), std::min(real(a), real(b)));
    ASSERT_EQ(real(Max::apply(a, b)), std::max(real(a), real(b)));
  }
}

TEST(IntegerOperators, Wrap) {
  EXPECT_EQ(Sum::apply(std::numeric_limits<int32_t>::max(), 1),
            std::numeric_limits<int32_t>::min());
  EXPECT_EQ(Sum::apply(int8_t{127}, int8_t{1}), int8_t{-128});
  EXPECT_EQ(Prod::apply(int8_t{-128}, int8_t{-1}), int8_t{-128});
  EXPECT_EQ(Prod::apply(int64_t{1} << 62, int64_t{4}), 0);
  EXPECT_EQ(Prod::apply(uint32_t{0xffffffff}, uint32_t{0xffffffff}), 1U);
  EXPECT_EQ(Min::apply(int8_t{-128}, int8_t{127}), int8_t{-128});
  EXPECT_EQ(Max::apply(uint8_t{128}, uint8_t{127}), uint8_t{128});
}

TEST(HalfOperators, OverflowGivesInfinity) {
  const auto largest = to_float16(65504.0F);
  EXPECT_TRUE(std::isinf(to_float(Sum::apply(largest, largest))));
  EXPECT_EQ(to_float(Sum::apply(largest, to_float16(-65504.0F))), 0.0F);
}

TEST(HalfOperators, AreComputedInFloat32AndRoundedOnce) {
  EXPECT_EQ(to_float(Sum::apply(to_float16(2048.0F), to_float16(1.0F))), 2048.0F);  // tie to even
  EXPECT_EQ(to_float(Sum::apply(to_float16(2050.0F), to_float16(1.0F))), 2052.0F);
  EXPECT_EQ(to_float(Prod::apply(to_bfloat16(1.0078125F), to_bfloat16(1.0078125F))), 1.015625F);
  EXPECT_EQ(to_float(divide(to_float16(1.0F), 3)), 0.333251953125F);
}

TEST(Average, DividesTruly) {
  EXPECT_EQ(divide(7.0F, 3), 7.0F / 3.0F);
  EXPECT_EQ(divide(5.0, 49), 5.0 / 49.0);  // differs from 5 * (1/49)
  EXPECT_NE(5.0 / 49.0, 5.0 * (1 / 49.0));
}

}  // namespace
}  // namespace arb
