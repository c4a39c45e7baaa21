#include "reports/model/fit.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "series.hpp"

namespace arb {
namespace {

constexpr double kAlphaTotal = 12e-6;
constexpr double kSlope = 1 / 8e9;

FitInput case_52() {
  return {.points = on_path(exact(doubling_sizes(8, 15), straight(kAlphaTotal, kSlope)), 1.5),
          .ranks = 4,
          .latency_steps = 6};
}

TEST(Fit, ExactDataGivesTheParametersBack) {
  const Fit fit = fit_series(case_52()).fit;
  ASSERT_EQ(fit.segments.size(), 1U);
  const Segment& segment = fit.segments[0];
  EXPECT_NEAR(segment.intercept_s, kAlphaTotal, 1e-9 * kAlphaTotal);
  EXPECT_NEAR(segment.slope_s_per_byte, kSlope, 1e-9 * kSlope);
  ASSERT_TRUE(segment.alpha_s && segment.beta_bytes_per_second);
  EXPECT_NEAR(*segment.alpha_s, 2e-6, 1e-9 * 2e-6);
  EXPECT_NEAR(*segment.beta_bytes_per_second, 12e9, 1e-9 * 12e9);
  EXPECT_EQ(segment.min_bytes, 8);
  EXPECT_EQ(segment.max_bytes, 8 << 14);
  EXPECT_LT(segment.max_relative_error, 1e-9);
  EXPECT_LE(segment.intercept_ci95.first, segment.intercept_s);
  EXPECT_GE(segment.intercept_ci95.second, segment.intercept_s);
}

TEST(Fit, ThreeOutliersAnywhereDoNoHarm) {
  for (int i = 0; i < 15; ++i) {
    for (int j = i + 1; j < 15; ++j) {
      for (int k = j + 1; k < 15; ++k) {
        // Three bad sizes in a row at an end are a piece of their own for all anyone can know.
        if (k - i == 2 && (i == 0 || k == 14)) continue;
        FitInput input = case_52();
        for (const int at : {i, j, k}) input.points[static_cast<size_t>(at)].seconds *= 10;
        const Fit fit = fit_series(input).fit;
        ASSERT_EQ(fit.segments.size(), 1U) << i << ' ' << j << ' ' << k;
        EXPECT_NEAR(fit.segments[0].intercept_s, kAlphaTotal, 0.02 * kAlphaTotal);
        EXPECT_NEAR(fit.segments[0].slope_s_per_byte, kSlope, 0.02 * kSlope);
      }
    }
  }
}

TEST(Fit, OutliersStayVisibleInTheError) {
  FitInput input = case_52();
  input.points[7].seconds *= 10;
  const Fit fit = fit_series(input).fit;
  ASSERT_EQ(fit.segments.size(), 1U);
  EXPECT_NEAR(fit.segments[0].max_relative_error, 0.9, 1e-6);
}

TEST(Fit, OutliersAtTheEdgeBelongToNoSegment) {
  FitInput input = case_52();
  input.points.front().seconds *= 10;
  input.points.back().seconds /= 3;
  const Fit fit = fit_series(input).fit;
  ASSERT_EQ(fit.segments.size(), 1U);
  EXPECT_EQ(fit.segments[0].min_bytes, 16);
  EXPECT_EQ(fit.segments[0].max_bytes, 8 << 13);
  EXPECT_LT(fit.segments[0].max_relative_error, 1e-9);
}

TEST(Fit, OutliersAmongNoise) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    FitInput input = case_52();
    input.points = noisy(input.points, straight(kAlphaTotal, kSlope), 0.01, seed);
    for (const size_t at : {2U, 7U, 12U}) input.points[at].seconds *= 10;
    const Fit fit = fit_series(input).fit;
    ASSERT_EQ(fit.segments.size(), 1U) << seed;
    EXPECT_NEAR(fit.segments[0].intercept_s, kAlphaTotal, 0.02 * kAlphaTotal) << seed;
    EXPECT_NEAR(fit.segments[0].slope_s_per_byte, kSlope, 0.08 * kSlope) << seed;
  }
}

TEST(Fit, TheOrderOfThePointsDoesNotMatter) {
  FitInput input = case_52();
  std::reverse(input.points.begin(), input.points.end());
  EXPECT_NEAR(fit_series(input).fit.segments.at(0).slope_s_per_byte, kSlope, 1e-9 * kSlope);
}

TEST(Fit, WideMeasuredIntervalsCountLess) {
  FitInput input = case_52();
  for (Point& point : input.points) {
    point.ci95 = {point.seconds * 0.99, point.seconds * 1.01};
  }
  // Too mild to be an outlier among this noise, yet enough to pull.
  input.points = noisy(input.points, straight(kAlphaTotal, kSlope), 0.01, 3);
  input.points[0].seconds = kAlphaTotal * 1.03;
  const double even = fit_series(input).fit.segments.at(0).intercept_s;
  input.points[0].ci95 = {kAlphaTotal * 0.6, kAlphaTotal * 1.5};
  const double weighted = fit_series(input).fit.segments.at(0).intercept_s;
  EXPECT_LT(weighted, even);
}

TEST(Fit, NoSlopeNoBeta) {
  FitInput input = case_52();
  double factor = 1;
  for (Point& point : input.points) point.seconds = kAlphaTotal * (factor *= 0.999);
  const Segment segment = fit_series(input).fit.segments.at(0);
  EXPECT_EQ(segment.slope_s_per_byte, 0);
  EXPECT_EQ(segment.slope_ci95.first, 0);
  EXPECT_GE(segment.slope_ci95.second, 0);
  EXPECT_FALSE(segment.beta_bytes_per_second);
  EXPECT_TRUE(segment.alpha_s);
}

TEST(Fit, NoInterceptNoAlpha) {
  FitInput input = case_52();
  for (Point& point : input.points) {
    const auto bytes = static_cast<double>(point.bytes);
    point.seconds = std::pow(bytes, 1.01) * kSlope;
  }
  const Segment segment = fit_series(input).fit.segments.at(0);
  EXPECT_EQ(segment.intercept_s, 0);
  EXPECT_FALSE(segment.alpha_s);
  EXPECT_TRUE(segment.beta_bytes_per_second);
}

TEST(Fit, UnknownTrafficLeavesAlphaAndBetaNull) {
  FitInput input = case_52();
  input.latency_steps.reset();
  for (Point& point : input.points) point.path_bytes.reset();
  const Segment segment = fit_series(input).fit.segments.at(0);
  EXPECT_FALSE(segment.alpha_s);
  EXPECT_FALSE(segment.beta_bytes_per_second);
}

// Beyond some size messages are cut into tiles that follow each other: 3 bytes on the path for each
// byte of a tile, then 2, and the first tile has still its 3.
TEST(Fit, APipelineIsFilledBeforeItFlows) {
  constexpr double kTile = 65536, kAlpha = 2e-6, kBeta = 12e9;
  const auto path = [&](double bytes) {
    return 3 * std::min(bytes, kTile) + 2 * std::max(0.0, bytes - kTile);
  };
  const auto time = [&](double bytes) { return 6 * kAlpha + path(bytes) / kBeta; };
  FitInput input{.points = exact(doubling_sizes(8, 24), time), .ranks = 4, .latency_steps = 6};
  for (Point& point : input.points) point.path_bytes = path(static_cast<double>(point.bytes));
  const Fit whole = fit_series(input).fit;
  ASSERT_EQ(whole.segments.size(), 2U);
  EXPECT_NEAR(*whole.segments[0].alpha_s, kAlpha, 0.01 * kAlpha);
  for (const Segment& segment : whole.segments) {
    EXPECT_NEAR(*segment.beta_bytes_per_second, kBeta, 0.01 * kBeta) << segment.min_bytes;
  }
  EXPECT_NEAR(*whole.traffic_factor, 2, 0.01);

  std::erase_if(input.points,
                [](const Point& point) { return static_cast<double>(point.bytes) < kTile; });
  const Segment large = fit_series(input).fit.segments.at(0);
  EXPECT_GT(large.intercept_s, 1.2 * 6 * kAlpha) << "the filling is part of the intercept";
  EXPECT_NEAR(*large.alpha_s, kAlpha, 1e-6 * kAlpha);
  EXPECT_NEAR(*large.beta_bytes_per_second, kBeta, 1e-6 * kBeta);
}

TEST(FitRefusal, OneRank) {
  FitInput input = case_52();
  input.ranks = 1;
  const FitResult result = fit_series(input);
  EXPECT_TRUE(result.fit.segments.empty());
  EXPECT_NE(result.fit.refused.find("one rank"), std::string::npos);
}

TEST(FitRefusal, FewerThanThreeSizes) {
  FitInput input = case_52();
  input.points.resize(2);
  EXPECT_NE(fit_series(input).fit.refused.find("2 sizes"), std::string::npos);
  input.points.push_back(input.points.back());
  EXPECT_FALSE(fit_series(input).fit.refused.empty()) << "the same size twice is one size";
  input.points.clear();
  EXPECT_FALSE(fit_series(input).fit.refused.empty());
  input = case_52();
  input.points.resize(3);
  EXPECT_TRUE(fit_series(input).fit.refused.empty());
}

TEST(FitRefusal, TimesThatAreNoTimes) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), 0.0, -1e-6}) {
    FitInput input = case_52();
    input.points[3].seconds = bad;
    const FitResult result = fit_series(input);
    EXPECT_TRUE(result.fit.segments.empty()) << bad;
    EXPECT_NE(result.fit.refused.find("64 bytes"), std::string::npos) << result.fit.refused;
  }
}

TEST(FitRefusal, EmptyMessagesAreLeftOut) {
  FitInput input = case_52();
  input.points.push_back({0, 1e-3, std::nullopt, 50});
  EXPECT_NEAR(fit_series(input).fit.segments.at(0).intercept_s, kAlphaTotal, 1e-9 * kAlphaTotal);
  input.points.resize(2);
  input.points.push_back({0, 1e-3, std::nullopt, 50});
  EXPECT_FALSE(fit_series(input).fit.refused.empty());
}

}  // namespace
}  // namespace arb
