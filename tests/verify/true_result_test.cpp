#include "verify/true_result.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "verify/compare.hpp"

namespace arb {
namespace {

template <class T>
TrueResult<T> truth_of(Op op, const std::vector<T>& inputs, int spare = 0) {
  TrueResult<T> truth(op, static_cast<int>(inputs.size()), spare, 1);
  truth.start(1);
  for (const T& input : inputs) truth.add(&input, 1);
  truth.finish(1);
  return truth;
}

// Case 32: 1e8, 1, -1e8, 1.
TEST(TrueResult, CancellationIsBoundedByTheMagnitudes) {
  const auto truth = truth_of<float>(Op::kSum, {1e8F, 1.0F, -1e8F, 1.0F});
  EXPECT_EQ(truth.value(0), 2.0);
  const float chain = ((1e8F + 1.0F) + -1e8F) + 1.0F;
  const float tree = (1e8F + 1.0F) + (-1e8F + 1.0F);
  EXPECT_NE(chain, tree);
  EXPECT_LE(truth.ratio(0, chain), 1);
  EXPECT_LE(truth.ratio(0, tree), 1);
  // 3 * 2^-24 * 200000002 = 35.76
  EXPECT_LE(truth.ratio(0, 2.0F + 35.7F), 1);
  EXPECT_GT(truth.ratio(0, 2.0F + 35.8F), 1);
}

TEST(TrueResult, IsExactBeyondTheTypesOwnPrecision) {
  const auto truth = truth_of<double>(Op::kSum, {1e16, 1.0, -1e16, 1.0});
  EXPECT_EQ(truth.ratio(0, 2.0), 0);
  EXPECT_GT(truth.ratio(0, 1.0), 0);
  const auto average = truth_of<double>(Op::kAvg, {1e16, 1.0, -1e16});
  EXPECT_LT(average.ratio(0, 1.0 / 3), 1e-15);
  const auto product = truth_of<double>(Op::kProd, {1 + 0x1p-52, 1 + 0x1p-52});
  EXPECT_NEAR(product.ratio(0, 1 + 0x1p-51), 0x1p-51, 1e-20);  // lost 2^-104, bound 2^-53
}

TEST(TrueResult, OneInputAllowsNoError) {
  const auto truth = truth_of<float>(Op::kSum, {0.1F});
  EXPECT_EQ(truth.ratio(0, 0.1F), 0);
  EXPECT_TRUE(std::isinf(truth.ratio(0, std::nextafter(0.1F, 1.0F))));
}

TEST(TrueResult, NanAndInfinityAreOutsideEveryBound) {
  const auto truth = truth_of<float>(Op::kSum, {0.1F, 0.2F});
  EXPECT_TRUE(std::isinf(truth.ratio(0, NAN)));
  EXPECT_TRUE(std::isinf(truth.ratio(0, INFINITY)));
  EXPECT_TRUE(std::isinf(truth.ratio(0, -INFINITY)));
  const float nan = NAN;
  EXPECT_TRUE(std::isinf(truth.worst(&nan, 1)));
}

TEST(TrueResult, WhereAPartialResultMayOverflowNothingIsJudged) {
  const auto half = [](float value) { return to_float16(value); };
  const auto sum = truth_of<Float16>(Op::kSum, {half(65504), half(65504), half(-65504)});
  EXPECT_EQ(sum.ratio(0, half(INFINITY)), 0);
  EXPECT_EQ(sum.ratio(0, half(65504)), 0);
  const auto small = truth_of<Float16>(Op::kSum, {half(30000), half(30000)});
  EXPECT_TRUE(std::isinf(small.ratio(0, half(INFINITY))));
  const auto product = truth_of<Float16>(Op::kProd, {half(300), half(300), half(0.01F)});
  EXPECT_EQ(product.ratio(0, half(INFINITY)), 0);
  const auto vanishing = truth_of<Float16>(Op::kProd, {half(0.001F), half(0.001F), half(1000)});
  EXPECT_EQ(vanishing.ratio(0, half(0)), 0);
}

TEST(TrueResult, AverageMayRoundOnceMore) {
  const auto truth = truth_of<float>(Op::kAvg, {1.0F, 1.0F, 5.0F});
  EXPECT_LE(truth.ratio(0, 7.0F / 3.0F), 1);
  EXPECT_GT(truth.ratio(0, 7.0F / 3.0F), 0);
  EXPECT_GT(truth.ratio(0, 7.0F / 3.0F + 1e-6F), 1);
}

TEST(Compare, NanEqualsNanAndZerosDiffer) {
  EXPECT_TRUE(same(static_cast<float>(NAN), -static_cast<float>(NAN)));
  EXPECT_FALSE(same(0.0F, -0.0F));
  EXPECT_FALSE(same(static_cast<float>(NAN), 1.0F));
}

TEST(Compare, UlpsAreStepsBetweenFloats) {
  EXPECT_EQ(ulps_between(1.0F, std::nextafter(1.0F, 2.0F)), 1);
  EXPECT_EQ(ulps_between(1.0, 2.0), 0x1p52);
  EXPECT_EQ(ulps_between(0.0F, -0.0F), 0);
  EXPECT_EQ(ulps_between(std::nextafter(0.0F, 1.0F), std::nextafter(0.0F, -1.0F)), 2);
  EXPECT_EQ(ulps_between(to_float16(65504.0F), to_float16(INFINITY)), 1);
  EXPECT_FALSE(ulps_between(1.0F, static_cast<float>(NAN)));
  EXPECT_FALSE(ulps_between(1, 2));
}

TEST(Compare, TextReadsBack) {
  EXPECT_EQ(text_of(0.1F), "0.1");
  EXPECT_EQ(text_of(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(text_of(-0.0F), "-0");
  EXPECT_EQ(text_of(-static_cast<float>(NAN)), "nan");
  EXPECT_EQ(text_of(-INFINITY), "-inf");
  EXPECT_EQ(text_of(to_float16(65504.0F)), "65504");
  EXPECT_EQ(text_of(int8_t{-5}), "-5");
  EXPECT_EQ(text_of(uint64_t{18446744073709551615U}), "18446744073709551615");
}

}  // namespace
}  // namespace arb
