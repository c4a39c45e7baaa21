#include "reports/compare/ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace arb {
namespace {

// Hollander and Wolfe, table 3.1: depression of nine patients before and after.
std::vector<double> depression() {
  const std::vector<double> before = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const std::vector<double> after = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  std::vector<double> differences;
  for (size_t i = 0; i < before.size(); ++i) differences.push_back(before[i] - after[i]);
  return differences;
}

/// Share of all 2^n ways to give signs to the ranks that reach `w`.
double by_enumeration(int n, int64_t w) {
  int64_t reached = 0;
  for (int signs = 0; signs < (1 << n); ++signs) {
    int64_t sum = 0;
    for (int rank = 1; rank <= n; ++rank) sum += (signs >> (rank - 1) & 1) != 0 ? rank : 0;
    if (sum >= w) ++reached;
  }
  return static_cast<double>(reached) / (1 << n);
}

TEST(SignedRank, TailsAreThoseOfTheTables) {
  EXPECT_DOUBLE_EQ(signed_rank_tail(5, 15), 1 / 32.0);
  EXPECT_NEAR(signed_rank_tail(10, 45), 0.0420, 5e-5);
  EXPECT_NEAR(signed_rank_tail(10, 47), 0.0244, 5e-5);
  EXPECT_NEAR(signed_rank_tail(20, 150), 0.0487, 5e-5);
  EXPECT_EQ(signed_rank_tail(5, 0), 1);
  EXPECT_EQ(signed_rank_tail(5, 16), 0);
}

TEST(SignedRank, TailsAreThoseOfEnumeration) {
  for (const int n : {1, 2, 3, 8, 11}) {
    for (int64_t w = 0; w <= n * (n + 1) / 2; ++w) {
      EXPECT_NEAR(signed_rank_tail(n, w), by_enumeration(n, w), 1e-12) << n << " " << w;
    }
  }
}

TEST(WalshAverages, AreThoseOfTheBook) {
  const WalshAverages averages(depression());
  EXPECT_NEAR(averages.median(), 0.46, 1e-9);
  EXPECT_NEAR(averages.p_above(0), 0.01953, 5e-6);  // V = 40
  const auto [low, high] = averages.interval(0.025);
  EXPECT_NEAR(low, 0.010, 1e-9);
  EXPECT_NEAR(high, 0.786, 1e-9);
}

TEST(WalshAverages, TestAndIntervalAgreeAtAnyLevel) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0.1, 0.2);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> differences(static_cast<size_t>(1 + round % 14));
    for (double& each : differences) each = std::round(normal(random) * 20) / 20;  // with ties
    const WalshAverages averages(differences);
    for (const double tail : {0.3, 0.05, 0.01, 0.001, 1e-4}) {
      const bool rejected = averages.p_above(0.05) <= tail;
      EXPECT_EQ(rejected, averages.interval(tail).first > 0.05 + 1e-9) << round << " " << tail;
    }
  }
}

TEST(WalshAverages, TiesAndZerosCountAgainstAFinding) {
  EXPECT_EQ(WalshAverages({0.0, 0.0, 0.0}).p_above(0), 1);
  const double limit = std::log(1 / 0.9);
  EXPECT_EQ(WalshAverages(std::vector<double>(20, limit)).p_above(limit), 1);
}

TEST(WalshAverages, TooFewPairsTellNothing) {
  const WalshAverages averages(std::vector<double>(6, 5.0));
  EXPECT_EQ(averages.interval(0.01).first, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(averages.interval(0.02).first, 5);
  EXPECT_EQ(pairs_needed(0.01), 7);
  EXPECT_EQ(pairs_needed(1.0 / 64), 6);
}

/// Share of all ways to choose which samples are fresh whose rank sum is at least the real one.
double rank_sum_by_enumeration(const std::vector<double>& base, const std::vector<double>& fresh) {
  std::vector<double> all = base;
  all.insert(all.end(), fresh.begin(), fresh.end());
  const auto above = [&](const std::vector<bool>& is_fresh) {
    double pairs = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t k = 0; k < all.size(); ++k) {
        if (is_fresh[i] && !is_fresh[k]) pairs += all[i] > all[k] ? 1 : all[i] == all[k] ? 0.5 : 0;
      }
    }
    return pairs;
  };
  std::vector<bool> chosen(all.size());
  std::fill(chosen.begin() + static_cast<std::ptrdiff_t>(base.size()), chosen.end(), true);
  const double real = above(chosen);
  double reached = 0, ways = 0;
  do {
    ++ways;
    reached += above(chosen) >= real ? 1 : 0;
  } while (std::next_permutation(chosen.begin(), chosen.end()));
  return reached / ways;
}

TEST(RankSum, IsThatOfTheBook) {
  // Hollander and Wolfe, table 4.1: U = 35 of 10 and 5; exactly 0.1272.
  const std::vector<double> term = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
  const std::vector<double> early = {1.15, 0.88, 0.90, 0.74, 1.21};
  EXPECT_NEAR(*rank_sum_p(early, term), 0.1223, 5e-5);  // z = 9.5 / sqrt(66.67)
  EXPECT_NEAR(rank_sum_by_enumeration(early, term), 0.1272, 5e-5);
}

TEST(RankSum, TiesAreCorrectedFor) {
  const std::vector<double> base = {1, 2, 2, 3, 3, 3, 4}, fresh = {2, 3, 3, 4, 4, 5, 5};
  EXPECT_NEAR(*rank_sum_p(base, fresh), rank_sum_by_enumeration(base, fresh), 0.015);
  EXPECT_NEAR(*rank_sum_p(fresh, base), rank_sum_by_enumeration(fresh, base), 0.015);
  EXPECT_EQ(rank_sum_p({1, 1}, {1, 1}), 1);
}

TEST(RankSum, NeedsSamplesOnBothSides) {
  EXPECT_FALSE(rank_sum_p({}, {1}));
  EXPECT_FALSE(rank_sum_p({1}, {}));
}

}  // namespace
}  // namespace arb
