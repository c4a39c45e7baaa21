#include "bench/measure/stopping.hpp"

#include <gtest/gtest.h>

#include <random>

namespace arb {
namespace {

TEST(StoppingRule, QuietDataStopsAtTheMinimum) {
  StoppingRule rule({.min_samples = 10});
  for (int i = 1; i < 10; ++i) EXPECT_EQ(rule.add(1e-3, 0.01), StopReason::kContinue) << i;
  EXPECT_EQ(rule.add(1e-3, 0.01), StopReason::kPrecisionMet);
  EXPECT_EQ(rule.reached_precision(), 0);
}

TEST(StoppingRule, TakesAtLeastTenSamplesWhateverIsAsked) {
  StoppingRule rule({.min_samples = 1});
  for (int i = 1; i < 10; ++i) EXPECT_EQ(rule.add(1e-3, 0.01), StopReason::kContinue) << i;
  EXPECT_EQ(rule.add(1e-3, 0.01), StopReason::kPrecisionMet);
}

TEST(StoppingRule, NoisyDataTakesAsManyAsThePrecisionNeeds) {
  int64_t coarse = 0;
  int64_t fine = 0;
  for (const double precision : {0.05, 0.01}) {
    std::mt19937_64 generator(1);
    std::normal_distribution<double> noise(1, 0.1);
    StoppingRule rule({.precision = precision});
    while (rule.add(noise(generator), 0) == StopReason::kContinue) {
    }
    EXPECT_EQ(rule.reason(), StopReason::kPrecisionMet);
    EXPECT_TRUE(rule.precision_met());
    EXPECT_LE(*rule.reached_precision(), precision);
    (precision == 0.05 ? coarse : fine) = static_cast<int64_t>(rule.samples().size());
  }
  // Half-width 1.96 * 1.2533 * sigma / sqrt(n): about 24 and 600.
  EXPECT_GT(coarse, 10);
  EXPECT_LT(coarse, 100);
  EXPECT_GT(fine, 300);
  EXPECT_LT(fine, 1500);
}

TEST(StoppingRule, TimeCapHoldsBeforeTheMinimum) {
  StoppingRule rule({.max_seconds = 2});
  EXPECT_EQ(rule.add(1, 1.1), StopReason::kContinue);
  EXPECT_EQ(rule.add(1, 2.2), StopReason::kTimeCap);
  EXPECT_FALSE(rule.precision_met());
}

TEST(StoppingRule, SampleCap) {
  StoppingRule rule({.precision = 1e-9, .max_samples = 15});
  for (int i = 1; i < 15; ++i) EXPECT_EQ(rule.add(i, 0), StopReason::kContinue) << i;
  EXPECT_EQ(rule.add(15, 0), StopReason::kSampleCap);
  EXPECT_FALSE(rule.precision_met());
}

TEST(StoppingRule, StaysStopped) {
  StoppingRule rule({.max_seconds = 1});
  EXPECT_EQ(rule.add(1, 2), StopReason::kTimeCap);
  EXPECT_EQ(rule.add(1, 0), StopReason::kTimeCap);
  EXPECT_EQ(rule.samples().size(), 2U);
}

TEST(StoppingRule, AFixedCountIgnoresPrecisionAndCaps) {
  StoppingRule rule({.max_samples = 2, .max_seconds = 0.001, .fixed_count = 4});
  for (int i = 1; i < 4; ++i) EXPECT_EQ(rule.add(1, 10), StopReason::kContinue) << i;
  EXPECT_EQ(rule.add(1, 10), StopReason::kFixedCount);
}

TEST(StoppingRule, ADelayEveryFiftiethSampleDoesNotKeepItRunning) {
  StoppingRule rule({});
  int i = 0;
  while (rule.add(++i % 50 == 0 ? 2.1e-3 : 100e-6 + 1e-7 * (i % 7), 0) == StopReason::kContinue) {
  }
  EXPECT_EQ(rule.reason(), StopReason::kPrecisionMet);
  EXPECT_EQ(rule.samples().size(), 10U);
}

TEST(StoppingRule, PrecisionAgreesWithItsDefinition) {
  StoppingRule rule({.precision = 1e-9, .max_samples = 1000});
  for (const double sample : {8, 1, 7, 2, 6, 3, 5, 4}) rule.add(sample, 0);
  // Eight samples: the interval is their range; median 4.5, longer side 3.5.
  EXPECT_DOUBLE_EQ(*rule.reached_precision(), 3.5 / 4.5);
  rule.add(9, 0);
  // Nine: ranks 2 and 8 around 5.
  EXPECT_DOUBLE_EQ(*rule.reached_precision(), 3.0 / 5.0);
}

TEST(WarmUp, EndsOnceTheTimesNoLongerFall) {
  WarmUp warm_up({.window = 4});
  double time = 1.0;
  while (!warm_up.add(time, 0)) time = std::max(0.5, time * 0.95);
  EXPECT_TRUE(warm_up.stable());
  EXPECT_EQ(time, 0.5);
  EXPECT_LE(warm_up.count(), 24);
}

TEST(WarmUp, SteadyTimesTakeTwoWindows) {
  WarmUp warm_up({.window = 5});
  for (int i = 1; i < 10; ++i) EXPECT_FALSE(warm_up.add(1, 0)) << i;
  EXPECT_TRUE(warm_up.add(1, 0));
}

TEST(WarmUp, OneSlowSampleIsNoTrend) {
  WarmUp warm_up({.window = 5});
  warm_up.add(50, 0);
  int count = 1;
  while (!warm_up.add(1, 0)) ++count;
  EXPECT_EQ(count + 1, 10);
}

TEST(WarmUp, CapsOnCountAndTime) {
  WarmUp by_count({.window = 2, .max_samples = 7});
  double time = 1;
  while (!by_count.add(time, 0)) time /= 2;
  EXPECT_EQ(by_count.count(), 7);
  EXPECT_FALSE(by_count.stable());

  WarmUp by_time({.max_seconds = 1});
  EXPECT_TRUE(by_time.add(2, 2));
  EXPECT_FALSE(by_time.stable());
}

TEST(WarmUp, AFixedCountIsKept) {
  EXPECT_TRUE(WarmUp({.fixed_count = 0}).done());
  WarmUp three({.max_seconds = 0, .fixed_count = 3});
  EXPECT_FALSE(three.add(1, 9));
  EXPECT_FALSE(three.add(1, 9));
  EXPECT_TRUE(three.add(1, 9));
}

}  // namespace
}  // namespace arb
