// The verdicts, of data without noise or with little.
#include "reports/compare/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/compare/builds.hpp"

namespace arb {
namespace {

CompareRules allowing(double drop) {
  CompareRules rules;
  rules.max_drop = {{std::nullopt, drop}};
  return rules;
}

/// As build(), with one row slower or faster.
Report but_ring_of_64k(double factor) {
  return build([factor](int a, int s) { return a == 1 && s == 2 ? factor : 1.0; });
}

TEST(Compare, TheSameIsTheSame) {
  const Comparison comparison = compared(build(), build());
  EXPECT_EQ(comparison.rows.size(), 15U);
  EXPECT_EQ(count(comparison, Change::kSame), 15);
  EXPECT_EQ(comparison.rows[0].key.algorithm, "naive-root");
  EXPECT_EQ(comparison.rows[14].key.bytes, 4 << 20);
}

TEST(Compare, ASlowerRowIsFound) {
  const Comparison comparison = compared(build(), but_ring_of_64k(1.3));
  EXPECT_EQ(count(comparison, Change::kSlower), 1);
  const CompareRow row = row_of(comparison, "ring", 65536);
  EXPECT_EQ(row.change, Change::kSlower);
  EXPECT_NEAR(*row.ratio, 1.3, 1e-9);
  EXPECT_NEAR(*row.limit, 1 / 0.95, 1e-12);
  EXPECT_NEAR(*row.fresh_median / *row.base_median, 1.3, 1e-9);
  EXPECT_EQ(row.why, "1.300x the time [1.300, 1.300], allowed 1.053 (5.0 % less bandwidth)");
}

TEST(Compare, AFasterRowPassesAndIsSaid) {  // cases.md 55
  const Comparison comparison = compared(build(), but_ring_of_64k(0.8));
  EXPECT_EQ(count(comparison, Change::kFaster), 1);
  EXPECT_EQ(row_of(comparison, "ring", 65536).change, Change::kFaster);
  EXPECT_EQ(row_of(compared(build(), but_ring_of_64k(0.96)), "ring", 65536).change, Change::kSame)
      << "what is within the limit on the fast side is no news";
}

TEST(Compare, ExactlyAtTheLimitPasses) {  // cases.md 58
  const CompareRules rules = allowing(0.10);
  const auto all = [](double bandwidth) {
    return build([bandwidth](int, int) { return 1 / bandwidth; });
  };
  EXPECT_EQ(count(compared(build(), all(0.90), rules), Change::kSame), 15);
  EXPECT_EQ(count(compared(build(), all(0.8999), rules), Change::kSlower), 15);
  EXPECT_EQ(count(compared(build(), all(1 / 0.9), rules), Change::kSame), 15);
  const Report one = report_of({timed("ring", 65536, 9e-5)}),
               slow = report_of({timed("ring", 65536, 1e-4)});
  EXPECT_EQ(count(compared(one, slow, rules), Change::kSame), 1);
  EXPECT_NE(compared(one, slow, rules).rows[0].why.find("allowed 1.111 (10 % less bandwidth)"),
            std::string::npos);
  const std::vector<Report> base(3, build()), fresh(2, all(0.90));
  EXPECT_EQ(count(compare(base, fresh, rules), Change::kSame), 15 + 4);
}

TEST(Compare, TheLimitGoesBySize) {
  CompareRules rules;
  rules.max_drop = {{4096, 0.5}, {std::nullopt, 0.05}};
  const Comparison comparison = compared(build(), build([](int, int) { return 1.5; }), rules);
  EXPECT_EQ(row_of(comparison, "ring", 4096).change, Change::kSame) << "up to and including";
  EXPECT_EQ(row_of(comparison, "ring", 65536).change, Change::kSlower);
}

TEST(Compare, WideIntervalsCannotTell) {
  const Comparison comparison = compared(build(), build([](int, int) { return 1.1; }, 0.08));
  EXPECT_EQ(count(comparison, Change::kCannotTell), 15);
  const CompareRow row = row_of(comparison, "ring", 65536);
  EXPECT_LT(row.interval->first, *row.limit);
  EXPECT_GT(row.interval->second, *row.limit);
}

TEST(Compare, OfManyStartsTheSamplesTellTheMeanBetter) {
  const auto width = [](size_t n) {
    const std::vector<Report> alike(n, build([](int, int) { return 1.0; }, 0.04));
    return std::log(compare(alike, alike, {}).rows[0].interval->second);
  };
  EXPECT_NEAR(width(2) / width(8), 2, 1e-6) << "as the root of their number";
}

TEST(Compare, SizesTogetherHaveTheLoosestLimitOfTheirs) {
  CompareRules rules;
  rules.max_drop = {{4096, 0.5}, {std::nullopt, 0.05}};
  const std::vector<Report> twice(2, build());
  EXPECT_NEAR(*compare(twice, twice, rules).rows.back().limit, 2, 1e-12);
}

TEST(Compare, ManyRowsNeedMoreThanOne) {
  const auto high = [](size_t rows) {
    std::vector<Record> base, fresh;
    for (size_t i = 0; i < rows; ++i) {
      base.push_back(timed("ring", 8 + static_cast<int64_t>(i), 1e-6, 0.01));
      fresh.push_back(timed("ring", 8 + static_cast<int64_t>(i), 1e-6, 0.01));
    }
    return compared(report_of(base), report_of(fresh)).rows[0].interval->second;
  };
  EXPECT_GT(high(40), high(8)) << "the family is corrected for";
}

// One start on each side, few rows: samples within a start do not tell how starts differ.
TEST(Compare, FewRowsOfOneStartAreNotTrusted) {
  const Report base = report_of({timed("ring", 65536, 1e-4, 0.01)});
  const auto after = [&](double factor) {
    return compared(base, report_of({timed("ring", 65536, factor * 1e-4, 0.01)}));
  };
  EXPECT_EQ(after(1.12).rows[0].change, Change::kCannotTell);
  EXPECT_EQ(after(1.3).rows[0].change, Change::kSlower);
  EXPECT_EQ(after(1.12).spread_from, "assumed, for fewer than 6 rows tell little");
  ASSERT_FALSE(after(1).warnings.empty());
  EXPECT_NE(after(1).warnings.back().find("--baseline"), std::string::npos);
}

TEST(Compare, ScatterOfTheRowsIsTheSpreadOfOneStart) {
  const Report base = build();
  const Report fresh =
      build([](int a, int s) { return a == 1 && s == 2 ? 1.2 : 0.97 + 0.03 * ((a * 5 + s) % 3); });
  const Comparison comparison = compared(base, fresh);
  EXPECT_EQ(row_of(comparison, "ring", 65536).change, Change::kCannotTell);
  EXPECT_EQ(comparison.spread_from,
            "guessed from how much the ratios of 15 rows differ from each other");
  EXPECT_GT(*comparison.spread, 0.02);
  EXPECT_LT(*comparison.spread, 0.08);
}

TEST(Compare, RepeatedStartsTellTheSpread) {
  const std::vector<Report> base = starts({0.01, -0.02, 0.015, -0.005, 0.0});
  const std::vector<Report> same = starts({0.01, -0.01}), slow = starts({0.01, -0.01, 0.0}, 1.25);
  const Comparison even = compare(base, same, {});
  EXPECT_EQ(even.spread_from, "starts that were repeated");
  EXPECT_TRUE(even.warnings.empty());
  EXPECT_EQ(count(even, Change::kSlower), 0);
  const CompareRow row = row_of(compare(base, slow, {}), "ring", 65536);
  EXPECT_EQ(row.change, Change::kSlower);
  EXPECT_EQ(row.base_starts, 5);
  EXPECT_EQ(row.fresh_starts, 3);
}

TEST(Compare, OneOfThreeStartsThatIsFarOffIsNoSlowDown) {
  const std::vector<Report> base = starts({0.01, -0.02, 0.015, -0.005, 0.0});
  std::vector<Report> fresh = starts({0.01, -0.01, 0.0});
  fresh[1].records[7].time->median *= 3;
  EXPECT_EQ(count(compare(base, fresh, {}), Change::kSlower), 0);
}

TEST(Compare, WhatNoRowShowsAloneTheirMedianDoes) {
  const std::vector<Report> base = starts({0.03, -0.04, 0.05, -0.035, 0.0}),
                            fresh = starts({0.04, -0.03, 0.02, -0.05, 0.01}, 1.14);
  const Comparison comparison = compare(base, fresh, {});
  for (const CompareRow& row : comparison.rows) {
    if (row.cases == 1) {
      EXPECT_EQ(row.change, Change::kCannotTell) << row.why;
    }
  }
  const CompareRow all = comparison.rows.back();
  EXPECT_EQ(all.cases, 15);
  EXPECT_EQ(all.key.algorithm, "");
  EXPECT_EQ(all.key.bytes, 0);
  EXPECT_EQ(all.change, Change::kSlower) << all.why;
  EXPECT_NEAR(*all.ratio, 1.14, 0.02);
  ASSERT_EQ(comparison.rows.size(), 15U + 4);
  EXPECT_EQ(comparison.rows[15].key.algorithm, "naive-root");
  EXPECT_EQ(comparison.rows[15].cases, 5);
}

TEST(Compare, NothingIsSummedUpWithoutRepeatedStarts) {
  const std::vector<Report> two(2, build());
  const Report one = build();
  EXPECT_EQ(compared(one, one).rows.size(), 15U);
  EXPECT_EQ(compare(two, {&one, 1}, {}).rows.size(), 15U);
  EXPECT_EQ(compare(two, two, {}).rows.size(), 19U);
}

TEST(Compare, FewSamplesAreNotLikeOtherRows) {
  Report base = build(), fresh = but_ring_of_64k(20);
  fresh.records[7].time->n = 1;
  fresh.records[7].time->ci95.reset();
  const CompareRow row = row_of(compared(base, fresh), "ring", 65536);
  EXPECT_EQ(row.change, Change::kCannotTell);
  EXPECT_NE(row.why.find("--max-time"), std::string::npos);
  const std::vector<Report> bases(5, base), many(3, fresh);
  EXPECT_EQ(row_of(compare(bases, many, {}), "ring", 65536).change, Change::kSlower)
      << "starts that were repeated tell";
}

TEST(Compare, RulesThatMakeNoSenseAreRefused) {
  CompareRules rules;
  rules.level = 0;
  EXPECT_NE(refusal([&] { compared(build(), build(), rules); }), "");
  EXPECT_NE(refusal([&] { compared(build(), build(), allowing(1)); }), "");
  EXPECT_NE(refusal([&] { compared(build(), build(), allowing(-0.1)); }), "");
  rules = {};
  rules.max_drop = {{4096, 0.1}};
  EXPECT_NE(refusal([&] { compared(build(), build(), rules); }), "");
}

TEST(Compare, NamesOfChanges) {
  EXPECT_EQ(name(Change::kCannotTell), "cannot tell");
  EXPECT_EQ(name(Change::kWrong), "wrong data");
  EXPECT_EQ(name(Change::kNews), "new");
}

CompareRow seen(Change change, double ratio, double high) {
  CompareRow row;
  row.change = change;
  row.limit = 1 / 0.95;
  row.ratio = ratio;
  row.interval = {0.5, high};
  row.base_starts = row.fresh_starts = 1;
  return row;
}

TEST(Suspicious, WhatIsOrMayBeSlower) {
  EXPECT_TRUE(suspicious(seen(Change::kSlower, 1.2, 1.3)));
  EXPECT_TRUE(suspicious(seen(Change::kCannotTell, 1.06, 1.3)));
  EXPECT_TRUE(suspicious(seen(Change::kCannotTell, 1.03, 1.3))) << "half of the way there";
  EXPECT_FALSE(suspicious(seen(Change::kCannotTell, 1.02, 1.3)));
  EXPECT_FALSE(suspicious(seen(Change::kSame, 1.03, 1.05)));
  EXPECT_FALSE(suspicious(seen(Change::kFaster, 0.8, 0.9)));
  EXPECT_FALSE(suspicious(seen(Change::kMissing, 1.3, 1.4)));
}

TEST(Suspicious, WhatMoreStartsCanTell) {
  CompareRow row = seen(Change::kCannotTell, 1, 1);
  row.interval.reset();
  row.fresh_starts = 0;
  EXPECT_TRUE(suspicious(row)) << "no start of the new build counted";
  row.base_starts = 0;
  EXPECT_FALSE(suspicious(row)) << "nothing to hold it against";
}

}  // namespace
}  // namespace arb
