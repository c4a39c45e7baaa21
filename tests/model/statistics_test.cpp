#include "bench/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <numeric>
#include <random>

#include "collectives/error.hpp"

namespace arb {
namespace {

double coverage(int64_t n, int64_t low) {
  const boost::math::binomial_distribution<double> half(static_cast<double>(n), 0.5);
  return 1 - 2 * boost::math::cdf(half, static_cast<double>(low - 1));
}

TEST(MedianInterval, NeedsSixSamples) {
  for (int64_t n = 0; n < 6; ++n) EXPECT_FALSE(median_ci95_ranks(n)) << n;
  const auto ranks = median_ci95_ranks(6);
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->low, 1);
  EXPECT_EQ(ranks->high, 6);
}

TEST(MedianInterval, IsTheNarrowestSymmetricOneThatCovers) {
  for (int64_t n = 6; n <= 1000; ++n) {
    const auto ranks = median_ci95_ranks(n);
    ASSERT_TRUE(ranks);
    EXPECT_EQ(ranks->low + ranks->high, n + 1);
    EXPECT_GE(coverage(n, ranks->low), 0.95) << n;
    EXPECT_LT(coverage(n, ranks->low + 1), 0.95) << n;
  }
}

TEST(MedianInterval, TextbookRanks) {
  EXPECT_EQ(median_ci95_ranks(30)->low, 10);
  EXPECT_EQ(median_ci95_ranks(30)->high, 21);
  EXPECT_EQ(median_ci95_ranks(100)->low, 40);
  EXPECT_EQ(median_ci95_ranks(100)->high, 61);
}

TEST(MedianInterval, ApproximationCoversAndIsWithinOneRankOfExact) {
  for (const int64_t n : {1001, 1002, 1500, 5000, 99999}) {
    const int64_t low = median_ci95_ranks(n)->low;
    EXPECT_GE(coverage(n, low), 0.95) << n;
    EXPECT_LT(coverage(n, low + 2), 0.95) << n;
  }
}

TEST(MedianInterval, CoversTheMedianOfASkewedDistribution) {
  const double truth = std::log(2.0);
  int covered = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    std::mt19937_64 generator(seed);
    std::exponential_distribution<double> skewed;
    std::vector<double> samples(25);
    for (double& sample : samples) sample = skewed(generator);
    const auto interval = median_ci95(samples);
    ASSERT_TRUE(interval);
    if (interval->first <= truth && truth <= interval->second) ++covered;
  }
  EXPECT_GE(covered, 1880);
}

TEST(Statistics, MedianOfOddEvenAndOne) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Statistics, NothingFromNothing) {
  EXPECT_THROW(median({}), Error);
  EXPECT_THROW(mean({}), Error);
  EXPECT_THROW(percentile({}, 0.5), Error);
  EXPECT_FALSE(median_ci95({}));
  const TimeStats stats = summarize({});
  EXPECT_EQ(stats.n, 0);
  EXPECT_FALSE(stats.ci95 || stats.p95 || stats.p99);
}

TEST(Statistics, PercentileIsTheNearestRank) {
  std::vector<double> samples(100);
  std::iota(samples.rbegin(), samples.rend(), 1.0);
  EXPECT_EQ(percentile(samples, 0.95), 95);
  EXPECT_EQ(percentile(samples, 0.99), 99);
  EXPECT_EQ(percentile(samples, 1), 100);
  EXPECT_EQ(percentile(samples, 0.001), 1);
  EXPECT_EQ(percentile({10, 20, 30}, 0.5), 20);
  EXPECT_EQ(percentile({10, 20, 30}, 0.67), 30);
}

TEST(Summary, PercentilesOnlyFromEnoughSamples) {
  const auto of = [](size_t n) { return summarize(std::vector<double>(n, 1.0)); };
  EXPECT_FALSE(of(5).ci95);
  EXPECT_TRUE(of(6).ci95);
  EXPECT_FALSE(of(19).p95);
  EXPECT_TRUE(of(20).p95);
  EXPECT_FALSE(of(99).p99);
  EXPECT_TRUE(of(100).p99);
}

TEST(Summary, FieldsAndRawSamplesInTheirOrder) {
  const std::vector<double> samples = {5, 1, 4, 2, 3, 9};
  const TimeStats stats = summarize(samples, 7, true);
  EXPECT_EQ(stats.n, 6);
  EXPECT_EQ(stats.batch, 7);
  EXPECT_EQ(stats.min, 1);
  EXPECT_EQ(stats.median, 3.5);
  EXPECT_EQ(stats.mean, 4);
  EXPECT_EQ(stats.max, 9);
  EXPECT_EQ(stats.ci95, (std::pair{1.0, 9.0}));
  EXPECT_EQ(stats.samples, samples);
  EXPECT_TRUE(summarize(samples).samples.empty());
}

TEST(Summary, TiesGiveAnIntervalOfNoWidth) {
  const TimeStats stats = summarize(std::vector<double>(12, 2.5));
  EXPECT_EQ(stats.ci95, (std::pair{2.5, 2.5}));
  EXPECT_EQ(stats.min, stats.max);
}

TEST(Summary, ADelayedRankShowsInTheTailOnly) {
  std::vector<double> samples(200, 100e-6);
  for (size_t i = 49; i < samples.size(); i += 50) samples[i] += 2e-3;
  const TimeStats stats = summarize(samples);
  EXPECT_EQ(stats.median, 100e-6);
  EXPECT_EQ(stats.ci95, (std::pair{100e-6, 100e-6}));
  EXPECT_EQ(stats.p95, 100e-6);
  EXPECT_EQ(stats.p99, 2.1e-3);
  EXPECT_EQ(stats.max, 2.1e-3);
}

}  // namespace
}  // namespace arb
