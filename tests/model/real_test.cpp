// Real machines have several knees: slots, caches, memory.
#include <gtest/gtest.h>

#include <algorithm>

#include "real_medians.hpp"
#include "series.hpp"

namespace arb {
namespace {

constexpr double kWorstError = 0.27;

class RealMachine : public testing::TestWithParam<RealMedians> {};

int64_t sizes_in(const Series& points, const Segment& segment) {
  return std::count_if(points.begin(), points.end(), [&](const Point& point) {
    return point.bytes >= segment.min_bytes && point.bytes <= segment.max_bytes;
  });
}

TEST_P(RealMachine, IsDescribedFromKneeToKnee) {
  const Series points = series_of(GetParam());
  const Fit fit = fit_points(points).fit;
  ASSERT_GE(fit.segments.size(), 3U);
  EXPECT_LE(fit.segments.size(), 6U);
  EXPECT_EQ(fit.segments.front().min_bytes, 8);
  EXPECT_EQ(fit.segments.back().max_bytes, 64 << 20);
  int64_t sizes = 0;
  for (const Segment& segment : fit.segments) {
    EXPECT_LT(segment.max_relative_error, kWorstError) << segment.min_bytes;
    EXPECT_GE(sizes_in(points, segment), 3) << segment.min_bytes;
    sizes += sizes_in(points, segment);
  }
  EXPECT_EQ(sizes, 24) << "every size belongs to a segment";
}

// One size disturbed as no machine explains it does not spoil the lines of the others.
TEST_P(RealMachine, AWildSizeIsLeftOut) {
  Series points = series_of(GetParam());
  const Series clean = points;
  points[10].seconds *= 20;
  points[10].ci95 = {points[10].seconds * 0.98, points[10].seconds * 1.02};
  const FitResult result = fit_points(points);
  for (size_t i = 0; i < points.size(); ++i) {
    for (size_t k = 0; k < result.lines.size() && i != 10; ++k) {
      const Segment& segment = result.fit.segments[k];
      if (clean[i].bytes < segment.min_bytes || clean[i].bytes > segment.max_bytes) continue;
      const double line = result.lines[k].line.at(static_cast<double>(clean[i].bytes));
      EXPECT_LT(std::abs(line / clean[i].seconds - 1), 0.4) << clean[i].bytes;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DefaultRun, RealMachine,
                         testing::Values(kNaiveRootOf2, kRingOf2, kNaiveRootOf4));

// What was measured within 1 % and lies on one line within a few percent has no knee.
TEST(MeasuredLine, HasNoFalseKnee) {
  for (const double sigma : {0.01, 0.03}) {
    int knees = 0;
    for (uint64_t seed = 0; seed < 1000; ++seed) {
      Series points = noisy(doubling_sizes(8, 24), straight(1e-6, 1 / 8e9), sigma, seed);
      for (Point& point : points) point.ci95 = {point.seconds * 0.99, point.seconds * 1.01};
      if (fit_points(points).fit.segments.size() > 1) ++knees;
    }
    EXPECT_LE(knees, 20) << sigma;
  }
}

TEST(Knees, OnlyTheFirstSegmentTellsTheLatency) {
  const Truth edge = [](double bytes) { return 12e-6 + bytes / (bytes <= 65536 ? 8e9 : 2e9); };
  const FitInput input{
      .points = on_path(exact(doubling_sizes(8, 24), edge), 1.5), .ranks = 4, .latency_steps = 6};
  const Fit fit = fit_series(input).fit;
  ASSERT_EQ(fit.segments.size(), 2U);
  ASSERT_TRUE(fit.segments[0].alpha_s);
  EXPECT_NEAR(*fit.segments[0].alpha_s, 2e-6, 1e-12);
  EXPECT_FALSE(fit.segments[1].alpha_s);
  ASSERT_TRUE(fit.segments[1].beta_bytes_per_second);
  EXPECT_NEAR(*fit.segments[1].beta_bytes_per_second, 3e9, 1e3);
}

}  // namespace
}  // namespace arb
