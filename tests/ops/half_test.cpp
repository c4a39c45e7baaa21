// Conversions against a slow reference that works on real numbers, not on bits.
#include "collectives/ops/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

namespace arb {
namespace {

struct Format {
  int mantissa;      // stored bits
  int min_exponent;  // of the smallest normal number
  int max_exponent;
};
constexpr Format kHalf{10, -14, 15};
constexpr Format kBrain{7, -126, 127};

double decode(uint16_t bits, const Format& format) {
  const int scale = 1 << format.mantissa;
  const int fraction = bits % scale;
  const int exponent = (bits & 0x7fff) / scale;
  const double sign = bits >= 0x8000 ? -1 : 1;
  if (exponent > format.max_exponent - format.min_exponent + 1) {
    return fraction != 0 ? NAN : sign * INFINITY;
  }
  if (exponent == 0) {
    return sign * std::ldexp(static_cast<double>(fraction), format.min_exponent - format.mantissa);
  }
  return sign * std::ldexp(static_cast<double>(scale + fraction),
                           exponent - 1 + format.min_exponent - format.mantissa);
}

/// The value that rounding to nearest even gives, as a real number.
double rounded(double value, const Format& format) {
  if (value == 0 || std::isinf(value)) return value;
  const int exponent = std::max(std::ilogb(value), format.min_exponent);
  const double unit = std::ldexp(1.0, exponent - format.mantissa);
  const double result = std::nearbyint(value / unit) * unit;
  const double limit = std::ldexp(1.0, format.max_exponent + 1);
  return std::fabs(result) >= limit ? std::copysign(INFINITY, value) : result;
}

bool same_real(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

template <class T>
class HalfTest : public testing::Test {};

template <class T>
constexpr Format kFormat = std::is_same_v<T, Float16> ? kHalf : kBrain;

template <class T>
T convert(float value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return to_float16(value);
  } else {
    return to_bfloat16(value);
  }
}

using HalfTypes = testing::Types<Float16, Bfloat16>;
TYPED_TEST_SUITE(HalfTest, HalfTypes);

TYPED_TEST(HalfTest, EveryPatternHasItsValueAndReadsBack) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const TypeParam value{static_cast<uint16_t>(bits)};
    const double expected = decode(value.bits, kFormat<TypeParam>);
    const float got = to_float(value);
    const uint16_t back = convert<TypeParam>(got).bits;
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << bits;
      const uint32_t quiet = 1U << (kFormat<TypeParam>.mantissa - 1);
      ASSERT_EQ(back, bits | quiet) << "sign and payload are kept, and it is quiet";
    } else {
      ASSERT_TRUE(same_real(got, expected)) << bits;
      ASSERT_EQ(back, bits);
    }
  }
}

template <class T>
void expect_rounding(float value) {
  const double got = decode(convert<T>(value).bits, kFormat<T>);
  if (std::isnan(value)) {
    ASSERT_TRUE(std::isnan(got));
  } else {
    ASSERT_TRUE(same_real(got, rounded(value, kFormat<T>)))
        << std::hexfloat << value << " became " << got;
  }
}

TYPED_TEST(HalfTest, AnyFloatIsRoundedToNearestEven) {
  std::mt19937 random(20240607);
  for (int i = 0; i < 2'000'000; ++i)
    expect_rounding<TypeParam>(bits_to<float>(uint32_t(random())));
}

TYPED_TEST(HalfTest, RoundingBoundariesOfEveryPattern) {
  // Halfway to the next pattern, and one float below and above it: where a wrong rounding shows.
  for (uint32_t bits = 0; bits < 0x7fff; ++bits) {
    const double low = decode(static_cast<uint16_t>(bits), kFormat<TypeParam>);
    const double high = decode(static_cast<uint16_t>(bits + 1), kFormat<TypeParam>);
    if (!std::isfinite(low) || !std::isfinite(high)) continue;
    const auto middle = static_cast<float>((low + high) / 2);
    for (const float sign : {1.0F, -1.0F}) {
      expect_rounding<TypeParam>(sign * middle);
      expect_rounding<TypeParam>(sign * std::nextafter(middle, 0.0F));
      expect_rounding<TypeParam>(sign * std::nextafter(middle, INFINITY));
    }
  }
}

TYPED_TEST(HalfTest, OverflowStartsHalfAStepAboveTheLargest) {
  const Format format = kFormat<TypeParam>;
  const double largest = std::ldexp(2 - std::ldexp(1.0, -format.mantissa), format.max_exponent);
  const double half_step = std::ldexp(1.0, format.max_exponent - format.mantissa - 1);
  const auto edge = static_cast<float>(largest + half_step);
  EXPECT_TRUE(std::isinf(to_float(convert<TypeParam>(edge))));
  EXPECT_EQ(to_float(convert<TypeParam>(std::nextafter(edge, 0.0F))), static_cast<float>(largest));
}

}  // namespace
}  // namespace arb
