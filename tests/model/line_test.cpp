#include "reports/model/line.hpp"

#include <gtest/gtest.h>

#include "reports/model/trimmed.hpp"

namespace arb {
namespace {

std::vector<Observation> on_line(double intercept, double slope) {
  std::vector<Observation> observations;
  for (int64_t size = 8; size < 1 << 20; size *= 4) {
    const auto bytes = static_cast<double>(size);
    observations.push_back({bytes, intercept + slope * bytes, 1});
  }
  return observations;
}

TEST(Line, OverAndUnderByTheSameFactorCountTheSame) {
  const Line line{1, 0};
  EXPECT_DOUBLE_EQ(line.residual({8, 3, 1}), -line.residual({8, 1.0 / 3, 1}));
  EXPECT_DOUBLE_EQ(line.residual({8, 3, 2}), line.residual({8, 3, 1}) / 2);
}

TEST(Line, FitRecoversAnExactLine) {
  const LineFit fit = fit_line(on_line(3e-6, 2e-10));
  EXPECT_NEAR(fit.line.intercept, 3e-6, 3e-17);
  EXPECT_NEAR(fit.line.slope, 2e-10, 2e-21);
}

TEST(Line, NeverNegative) {
  std::vector<Observation> falling = on_line(3e-6, 0);
  falling.back().seconds = 1e-6;
  EXPECT_EQ(fit_line(falling).line.slope, 0);
  EXPECT_GT(fit_line(falling).line.intercept, 0);

  std::vector<Observation> steep;
  for (const double bytes : {8, 64, 512, 4096, 32768}) steep.push_back({bytes, bytes * bytes, 1});
  EXPECT_EQ(fit_line(steep).line.intercept, 0);
  EXPECT_GT(fit_line(steep).line.slope, 0);
}

TEST(Line, UncertaintyOfAnExactLineIsNone) {
  const auto observations = on_line(3e-6, 2e-10);
  const Uncertainty uncertainty = uncertainty_of({3e-6, 2e-10}, observations);
  EXPECT_LT(std::sqrt(uncertainty.covariance(0, 0)), 1e-14);
  EXPECT_LT(std::sqrt(uncertainty.covariance(1, 1)), 1e-18);
  EXPECT_EQ(uncertainty.freedom, static_cast<double>(observations.size()) - 2);
}

TEST(Line, UncertainSizesCountLess) {
  std::vector<Observation> observations = on_line(3e-6, 2e-10);
  observations.front().seconds *= 1.5;
  const double even = fit_line(observations).line.intercept;
  observations.front().spread = 10;
  const double weighted = fit_line(observations).line.intercept;
  EXPECT_GT(even, 3.1e-6);
  EXPECT_LT(weighted, 3.01e-6);
}

TEST(Trimmed, LeavesOutWhatIsFarthest) {
  std::vector<Observation> observations = on_line(3e-6, 2e-10);
  observations[2].seconds *= 10;
  observations[5].seconds /= 10;
  const auto fits = fit_trimmed(observations, 2);
  ASSERT_EQ(fits.size(), 3U);
  EXPECT_GT(fits[0].squares, 1);
  EXPECT_GT(fits[1].squares, 0.5);
  EXPECT_LT(fits[2].squares, 1e-12);
  const auto kept = kept_by(fits[2].line, observations, 2);
  ASSERT_EQ(kept.size(), observations.size() - 2);
  for (const Observation& one : kept) {
    EXPECT_NE(one.bytes, observations[2].bytes);
    EXPECT_NE(one.bytes, observations[5].bytes);
  }
}

}  // namespace
}  // namespace arb
