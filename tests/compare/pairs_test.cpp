#include <gtest/gtest.h>

#include <cmath>

#include "tests/compare/builds.hpp"

namespace arb {
namespace {

/// n pairs; drift multiplies both, the new build is `slow` times as slow, and a little off by
/// turns.
std::vector<ReportPair> pairs_of(int n, double slow, double off = 0.01) {
  std::vector<ReportPair> pairs;
  for (int i = 0; i < n; ++i) {
    const double drift = i % 3 == 0 ? 3.3 : 1 + 0.1 * i;
    const auto base = [drift](int, int) { return drift; };
    const auto fresh = [=](int a, int s) {
      return drift * slow * (1 + off * ((i * 7 + a * 3 + s) % 5 - 2) / 2.0);
    };
    pairs.push_back({build(base), build(fresh)});
  }
  return pairs;
}

TEST(Pairs, DriftThatHitsBothIsNoDifference) {
  const Comparison comparison = compare_pairs(pairs_of(16, 1), {});
  EXPECT_EQ(count(comparison, Change::kSame), 15 + 4);
  EXPECT_EQ(comparison.spread_from, "how much the ratio differs between 16 pairs of starts");
}

TEST(Pairs, ASlowerBuildIsFound) {
  const Comparison comparison = compare_pairs(pairs_of(16, 1.1), {});
  EXPECT_EQ(count(comparison, Change::kSlower), 15 + 4);
  EXPECT_NEAR(*comparison.rows[0].ratio, 1.1, 0.01);
  EXPECT_EQ(comparison.rows[0].base_starts, 16);
  EXPECT_EQ(count(compare_pairs(pairs_of(16, 0.8), {}), Change::kFaster), 15 + 4);
}

TEST(Pairs, ExactlyAtTheLimitPasses) {  // cases.md 58
  CompareRules rules;
  rules.max_drop = {{std::nullopt, 0.10}};
  EXPECT_EQ(count(compare_pairs(pairs_of(16, 1 / 0.9, 0), rules), Change::kSame), 15 + 4);
}

TEST(Pairs, TooFewSayHowManyAreNeeded) {
  const Comparison comparison = compare_pairs(pairs_of(9, 1.5), {});
  const CompareRow row = comparison.rows[0];
  EXPECT_EQ(row.change, Change::kCannotTell);
  EXPECT_NE(row.why.find("to be called slower at least 12 pairs are needed, 9 count"),
            std::string::npos)
      << row.why;
  EXPECT_EQ(row.interval->first, 0);
  EXPECT_TRUE(std::isinf(row.interval->second));
}

TEST(Pairs, WhatIsTheSameNeedsNoCorrectionForManyRows) {
  const auto change = [](int pairs) { return compare_pairs(pairs_of(pairs, 1.0), {}).rows[0]; };
  EXPECT_EQ(change(5).change, Change::kSame);
  EXPECT_LE(*change(5).at_most, *change(5).limit);
  EXPECT_EQ(change(4).change, Change::kCannotTell);
  EXPECT_EQ(change(4).why, "only 4 pairs in one state of the machine, at least 5 are needed");
}

// 12 pairs are too few for any of 35 rows, and enough for what they have in common.
TEST(Pairs, AggregatesTellWithFewerPairs) {
  const auto wide = [](const Factor& factor) {
    std::vector<Record> records;
    for (int a = 0; a < 5; ++a) {
      for (int s = 0; s < 7; ++s) {
        records.push_back(timed("a" + std::to_string(a), 8 << (3 * s), 1e-6 * factor(a, s)));
      }
    }
    return report_of(std::move(records));
  };
  std::vector<ReportPair> pairs;
  for (int i = 0; i < 12; ++i) {
    const double off = 1 + 0.002 * i;
    pairs.push_back(
        {wide([](int, int) { return 1; }), wide([off](int, int) { return 1.1 * off; })});
  }
  const Comparison comparison = compare_pairs(pairs, {});
  for (const CompareRow& row : comparison.rows) {
    EXPECT_EQ(row.change, row.cases > 1 ? Change::kSlower : Change::kCannotTell) << row.why;
  }
  EXPECT_EQ(comparison.rows.back().cases, 35);
}

TEST(Pairs, WhatOnePairLacksTheOthersTell) {
  std::vector<ReportPair> pairs = pairs_of(16, 1.1);
  pairs[3].fresh.records.erase(pairs[3].fresh.records.begin());
  const CompareRow row = compare_pairs(pairs, {}).rows[0];
  EXPECT_EQ(row.base_starts, 15);
  EXPECT_EQ(row.fresh_starts, 15);
  EXPECT_EQ(row.change, Change::kSlower);
}

TEST(Pairs, NonePairsIsRefused) {
  EXPECT_NE(refusal([] { compare_pairs({}, {}); }), "");
}

}  // namespace
}  // namespace arb
