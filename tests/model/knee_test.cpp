#include <gtest/gtest.h>

#include "series.hpp"

namespace arb {
namespace {

constexpr uint64_t kSeeds = 40;

// The last size before each break.
std::vector<int64_t> breaks(const Fit& fit) {
  std::vector<int64_t> ends;
  for (size_t i = 0; i + 1 < fit.segments.size(); ++i) ends.push_back(fit.segments[i].max_bytes);
  return ends;
}

Truth eager_jump() {
  return [](double bytes) { return bytes <= 65536 ? 12e-6 + bytes / 8e9 : 40e-6 + bytes / 8e9; };
}

Truth cache_edge() {
  return [](double bytes) { return 12e-6 + bytes / (bytes <= (1 << 20) ? 8e9 : 3e9); };
}

Truth both() {
  return [](double bytes) {
    if (bytes <= 4096) return 5e-6 + bytes / 4e9;
    return 20e-6 + bytes / (bytes <= (1 << 20) ? 10e9 : 3e9);
  };
}

TEST(Knees, AreFoundWhereTheyAre) {
  for (const double sigma : {0.0, 0.001, 0.01, 0.03}) {
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const auto of = [&](int count, const Truth& truth) {
        return breaks(fit_points(noisy(doubling_sizes(8, count), truth, sigma, seed)).fit);
      };
      EXPECT_EQ(of(20, eager_jump()), std::vector<int64_t>{65536}) << sigma << ' ' << seed;
      EXPECT_EQ(of(24, cache_edge()), std::vector<int64_t>{1 << 20}) << sigma << ' ' << seed;
      EXPECT_EQ(of(24, both()), (std::vector<int64_t>{4096, 1 << 20})) << sigma << ' ' << seed;
      if (sigma == 0) break;
    }
  }
}

TEST(Knees, EachSegmentHasItsOwnParameters) {
  const Fit fit = fit_points(exact(doubling_sizes(8, 24), cache_edge())).fit;
  ASSERT_EQ(fit.segments.size(), 2U);
  EXPECT_NEAR(fit.segments[0].slope_s_per_byte, 1 / 8e9, 1e-9 / 8e9);
  EXPECT_NEAR(fit.segments[1].slope_s_per_byte, 1 / 3e9, 1e-9 / 3e9);
  EXPECT_NEAR(fit.segments[1].intercept_s, 12e-6, 1e-12);
  EXPECT_EQ(fit.segments[0].max_bytes, 1 << 20);
  EXPECT_EQ(fit.segments[1].min_bytes, 2 << 20);
  EXPECT_EQ(fit.segments[1].max_bytes, 8LL << 23);
}

TEST(Knees, ThreeSizesBehindTheLastKneeAreEnough) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Series points = noisy(doubling_sizes(64, 18), cache_edge(), 0.01, seed);
    EXPECT_EQ(breaks(fit_points(points).fit), std::vector<int64_t>{1 << 20}) << seed;
  }
}

TEST(Knees, AreNotConfusedWithOutliers) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Series points = noisy(doubling_sizes(8, 24), both(), 0.01, seed);
    for (const size_t at : {3U, 12U, 20U}) points[at].seconds *= 10;
    EXPECT_EQ(breaks(fit_points(points).fit), (std::vector<int64_t>{4096, 1 << 20})) << seed;
  }
}

TEST(Knees, AMisfitNobodyNeedsIsNoKnee) {
  const Truth bent = [](double bytes) {
    return 12e-6 + bytes / (bytes <= (1 << 20) ? 8e9 : 8.02e9);
  };
  EXPECT_EQ(fit_points(exact(doubling_sizes(8, 24), bent)).fit.segments.size(), 1U);
}

TEST(Knees, DenseSweepsAreHandled) {
  Series points;
  for (int64_t bytes = 16384; bytes <= (4 << 20); bytes += 32768)
    points.push_back({bytes, 0, {}, 0});
  const Fit fit = fit_points(noisy(points, cache_edge(), 0.01, 1)).fit;
  ASSERT_EQ(fit.segments.size(), 2U);
  EXPECT_NEAR(static_cast<double>(fit.segments[0].max_bytes), 1 << 20, 3 * 32768);
}

}  // namespace
}  // namespace arb
