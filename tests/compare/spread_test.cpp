#include "reports/compare/spread.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "reports/compare/prior.hpp"

namespace arb {
namespace {

std::vector<Variance> drawn(double scale, double spread_of_scales, double freedom, size_t rows) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::chi_squared_distribution<double> chi(freedom);
  std::vector<Variance> result;
  for (size_t i = 0; i < rows; ++i) {
    const double variance = scale * std::exp(spread_of_scales * normal(random));
    result.push_back({variance * chi(random) / freedom, freedom});
  }
  return result;
}

TEST(TypicalVariance, OfRowsThatAreAlikeIsKnownWell) {
  const TypicalVariance typical = typical_variance(drawn(0.0025, 0, 4, 400));
  EXPECT_NEAR(typical.middle, 0.0025, 0.0003);
  EXPECT_GT(typical.prior.freedom, 7);
}

TEST(TypicalVariance, OfRowsThatDifferSaysLittle) {
  const TypicalVariance typical = typical_variance(drawn(0.0025, 1.5, 4, 400));
  EXPECT_LT(typical.prior.freedom, 2);
  EXPECT_NEAR(std::log(typical.middle / 0.0025), 0, 0.3);
}

TEST(TypicalVariance, OfExactRowsIsNone) {
  EXPECT_EQ(typical_variance({{0, 4}, {0, 4}}).prior.value, 0);
}

TEST(Moderated, WeighsByFreedom) {
  const Variance both = moderated({4, 3}, {1, 1});
  EXPECT_DOUBLE_EQ(both.value, 3.25);
  EXPECT_DOUBLE_EQ(both.freedom, 4);
}

TEST(Scatter, IgnoresWhatIsFarOff) {
  EXPECT_NEAR(scatter_variance({-1, -0.5, 0, 0.5, 1, 1000}), std::pow(1.4826 * 0.75, 2), 1e-9);
}

TEST(Difference, PAndIntervalAgree) {
  const Difference difference{0.3, 0.05, 5, 0.02};
  for (const double tail : {0.1, 0.01, 1e-4}) {
    const double low = difference.interval(tail).first;
    EXPECT_NEAR(difference.p_above(low), tail, 1e-9 + tail * 1e-6);
  }
  EXPECT_EQ(difference.p_above(0.3), 1) << "right at it";
}

TEST(Difference, IsNeverSurerThanItsSamples) {
  const Difference few{0.3, 1e-6, 100, 0.1};
  EXPECT_NEAR(few.interval(0.025).second - 0.3, 0.196, 1e-4);
}

/// rows x starts; `row_noise` of each, `start_noise` of all rows of a start.
std::vector<SpreadRow> noisy(size_t base, size_t fresh, double row_noise, double start_noise) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> common(base + fresh);
  for (double& each : common) each = start_noise * normal(random);
  std::vector<SpreadRow> rows(40);
  for (SpreadRow& row : rows) {
    for (size_t s = 0; s < base + fresh; ++s) {
      (s < base ? row.times.base : row.times.fresh)
          .emplace_back(common[s] + row_noise * normal(random));
    }
  }
  return rows;
}

TEST(Spread, IsThatBetweenStarts) {
  const Spread spread = spread_of(noisy(6, 6, 0.05, 0));
  EXPECT_TRUE(spread.repeated);
  EXPECT_NEAR(*spread.typical, 0.05, 0.01);
  EXPECT_GT(spread.rows[0].freedom, 10);
}

// Forty rows that move together are one observation, not forty.
TEST(Spread, OfStartsThatMoveAllRowsIsKnownByFewDegreesOfFreedom) {
  const Spread spread = spread_of(noisy(3, 3, 0.005, 0.05));
  EXPECT_GT(*spread.typical, 0.015);
  EXPECT_LT(spread.rows[0].freedom, 8);
}

TEST(Spread, HangingOnOneStartHasHeavyTails) {
  for (const Difference& row : spread_of(noisy(10, 1, 0.05, 0)).rows) EXPECT_LE(row.freedom, 4);
  for (const Difference& row : spread_of(noisy(1, 10, 0.05, 0)).rows) EXPECT_LE(row.freedom, 4);
}

TEST(Spread, ARowOfFewSamplesStandsAlone) {
  std::vector<SpreadRow> rows = noisy(2, 1, 0.01, 0);
  rows[0].alone = true;
  rows[0].times.base = {1.0, 3.0};
  const Spread spread = spread_of(rows);
  EXPECT_NEAR(spread.rows[0].between, std::sqrt(2.0) * std::sqrt(1.5), 1e-9);
  EXPECT_EQ(spread.rows[0].freedom, 1);
  rows[0].times.base = {1.0, std::nullopt};
  EXPECT_FALSE(spread_of(rows).rows[0].known());
}

TEST(Spread, RowsWithoutRepetitionsGoByTheOthers) {
  std::vector<SpreadRow> rows = noisy(3, 2, 0.05, 0);
  rows[0].times.base = {1.0, std::nullopt, std::nullopt};
  rows[0].times.fresh = {1.0, std::nullopt};
  const Difference lone = spread_of(rows).rows[0];
  EXPECT_TRUE(lone.known());
  EXPECT_NEAR(lone.between, std::sqrt(2) * 0.05, 0.03);
}

}  // namespace
}  // namespace arb
