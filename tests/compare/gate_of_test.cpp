#include <gtest/gtest.h>

#include <set>

#include "tests/compare/builds.hpp"

namespace arb {
namespace {

const GateRow& row_named(const Gate& gate, const std::string& name) {
  for (const GateRow& row : gate.rows) {
    if (row.name == name) return row;
  }
  throw std::logic_error("no row " + name);
}

double value_of(const GateRow& row, const std::string& name) {
  for (const GateValue& value : row.values) {
    if (value.name == name && value.value) return *value.value;
  }
  throw std::logic_error("no value " + name);
}

TEST(GateOf, ASlowerRowFailsAndIsTheFirstFinding) {
  const Gate gate = gate_of(compared(build(), build([](int a, int s) {
                                       return a == 1 && s == 2 ? 1.31 : a == 2 && s == 3 ? 1.2 : 1;
                                     })),
                            {});
  EXPECT_EQ(gate.name, "compare");
  const GateRow& row = row_named(gate, "ring 64 KiB");
  EXPECT_EQ(row.group, "host all-reduce, 2 ranks, float32 sum, out of place, hot cache");
  EXPECT_EQ(row.result, GateResult::kFail);
  EXPECT_EQ(row.verdict, "slower");
  EXPECT_NEAR(value_of(row, "ratio"), 1.31, 1e-9);
  EXPECT_NEAR(value_of(row, "limit"), 1 / 0.95, 1e-9);
  EXPECT_NEAR(value_of(row, "base_busbw_gbps"), 65536 / value_of(row, "base_median_s") / 1e9, 1e-9);
  ASSERT_EQ(gate.findings.size(), 2U);
  EXPECT_EQ(gate.findings[0],
            "slower: 2 of 15 rows; worst ring 64 KiB at 2 ranks: 1.310x the time [1.310, 1.310], "
            "allowed 1.053 (5.0 % less bandwidth)");
  EXPECT_EQ(gate.findings[1], "13 the same, 0 faster, 0 cannot be told");
}

TEST(GateOf, NothingFoundIsSaidToo) {
  EXPECT_EQ(gate_of(compared(build(), build()), {}).findings,
            std::vector<std::string>{
                "no row is slower for sure; 15 the same, 0 faster, 0 cannot be told"});
}

TEST(GateOf, AComparisonThatSaysNothingSaysSo) {
  const Report busy = build([](int, int) { return 1; });
  Report noisy = busy;
  for (Record& record : noisy.records) record.flags.emplace_back("busy machine");
  EXPECT_EQ(gate_of(compared(busy, noisy), {}).findings.back(),
            "no row is slower for sure; 0 the same, 0 faster, 15 cannot be told: this comparison "
            "says nothing; --fail-unsure makes that fail");
}

TEST(GateOf, TheBoundaryAndTheSpreadAreInTheContext) {
  CompareRules rules;
  rules.max_drop = {{1 << 20, 0.10}, {std::nullopt, 0.05}};
  const Gate gate = gate_of(compared(build(), build(), rules), rules);
  EXPECT_EQ(gate.context[0],
            "allowed: 10 % less bandwidth, 1.111x the time up to 1 MiB; 5.0 % less bandwidth, "
            "1.053x the time");
  EXPECT_EQ(gate.context[1],
            "at most 1.0 % chance of any false \"slower\" in the whole comparison");
  EXPECT_EQ(gate.context[2].find("spread between starts of the program: typically "), 0U);
}

TEST(GateOf, WhatCannotBeToldFailsOnlyIfAsked) {
  const Report unsure = build([](int, int) { return 1.1; }, 0.08);
  CompareRules rules;
  EXPECT_EQ(exit_code(gate_of(compared(build(), unsure, rules), rules)), 0);
  rules.unsure_fails = true;
  EXPECT_EQ(exit_code(gate_of(compared(build(), unsure, rules), rules)), 1);
}

TEST(GateOf, EveryChangeHasItsResult) {
  const std::pair<Change, GateResult> expected[] = {
      {Change::kSame, GateResult::kPass},         {Change::kFaster, GateResult::kPass},
      {Change::kSlower, GateResult::kFail},       {Change::kMissing, GateResult::kFail},
      {Change::kCannotTell, GateResult::kUnsure}, {Change::kNews, GateResult::kNews},
      {Change::kWrong, GateResult::kWrong},       {Change::kNotJudged, GateResult::kSkipped}};
  for (const auto& [change, result] : expected) {
    Comparison comparison;
    comparison.rows.emplace_back();
    comparison.rows[0].key = timed("ring", 8, 1);
    comparison.rows[0].change = change;
    const Gate gate = gate_of(comparison, {});
    EXPECT_EQ(gate.rows[0].result, result) << name(change);
    EXPECT_EQ(gate.rows[0].verdict, name(change));
  }
}

TEST(GateOf, NamesAreUniqueWithinTheirGroup) {
  Report report = build();
  for (const char* protocol : {"simple", "ll"}) {
    report.records.push_back(timed("double-tree", 64, 1e-6));
    report.records.back().protocol = protocol;
  }
  const std::vector<Report> twice(2, report);
  const Gate gate = gate_of(compare(twice, twice, {}), {});
  std::set<std::string> names;
  for (const GateRow& row : gate.rows)
    EXPECT_TRUE(names.insert(row.group + row.name).second) << row.name;
  EXPECT_TRUE(names.contains(gate.rows[0].group + "double-tree/ll 64 B"));
  EXPECT_TRUE(names.contains(gate.rows[0].group + "ring, all 5 sizes"));
  EXPECT_TRUE(names.contains(gate.rows[0].group + "all algorithms, all 17 rows"));
}

TEST(GateOf, MissingAndWrongAreFindings) {
  Report fresh = build();
  fresh.records.pop_back();
  fresh.records[0].status = Status::kWrong;
  fresh.records[0].verify.wrong = 3;
  const Gate gate = gate_of(compared(build(), fresh), {});
  EXPECT_EQ(gate.findings[0].find("wrong data: 1 of 15 rows; naive-root 8 B at 2 ranks: WRONG 3"),
            0U)
      << gate.findings[0];
  EXPECT_EQ(gate.findings[1].find("missing: 1 of 15 rows; tree 4 MiB at 2 ranks: was measured"),
            0U);
}

}  // namespace
}  // namespace arb
