// Which rows are the same case, and what is said of those that cannot be held against another.
#include <gtest/gtest.h>

#include <limits>

#include "tests/compare/builds.hpp"

namespace arb {
namespace {

Report two_rows() { return report_of({timed("ring", 65536, 1e-4), timed("tree", 65536, 2e-4)}); }

TEST(Match, AMissingRowFails) {  // cases.md 55
  Report fresh = two_rows();
  fresh.records.pop_back();
  const Comparison comparison = compared(two_rows(), fresh);
  EXPECT_EQ(row_of(comparison, "tree", 65536).change, Change::kMissing);
  EXPECT_EQ(row_of(comparison, "tree", 65536).why,
            "was measured, is not in the new report; --allow-missing lets it pass");
  EXPECT_EQ(row_of(comparison, "ring", 65536).change, Change::kSame);
}

TEST(Match, AMissingRowIsAWarningIfAllowed) {
  Report fresh = two_rows();
  fresh.records.pop_back();
  CompareRules rules;
  rules.allow_missing = true;
  const Comparison comparison = compared(two_rows(), fresh, rules);
  EXPECT_EQ(row_of(comparison, "tree", 65536).change, Change::kNotJudged);
  ASSERT_FALSE(comparison.warnings.empty());
  EXPECT_EQ(comparison.warnings.front(),
            "1 row of the baseline is missing, as --allow-missing allows: tree 64 KiB (host "
            "all-reduce, 2 ranks, float32 sum, out of place, hot cache)");
}

TEST(Match, AnExtraRowIsNews) {
  Report base = two_rows();
  base.records.pop_back();
  EXPECT_EQ(row_of(compared(base, two_rows()), "tree", 65536).change, Change::kNews);
}

TEST(Match, EveryPartOfTheCaseCounts) {
  const std::vector<void (*)(Record&)> changes = {
      [](Record& r) { r.backend = "mpi"; },    [](Record& r) { r.collective = "all-gather"; },
      [](Record& r) { r.algorithm = "tree"; }, [](Record& r) { r.ranks = 4; },
      [](Record& r) { r.nodes = 2; },          [](Record& r) { r.gpus = 2; },
      [](Record& r) { r.bytes = 8; },          [](Record& r) { r.dtype = "int8"; },
      [](Record& r) { r.op = "max"; },         [](Record& r) { r.root = 1; },
      [](Record& r) { r.in_place = true; },    [](Record& r) { r.cache = "cold"; },
      [](Record& r) { r.unalign = 1; },        [](Record& r) { r.transport = "host memory"; },
      [](Record& r) { r.launch = "graph"; }};
  for (size_t i = 0; i < changes.size(); ++i) {
    Report other = report_of({timed("ring", 65536, 1e-4)});
    changes[i](other.records.front());
    const Comparison comparison = compared(report_of({timed("ring", 65536, 1e-4)}), other);
    EXPECT_EQ(count(comparison, Change::kMissing), 1) << i;
    EXPECT_EQ(count(comparison, Change::kNews), 1) << i;
  }
}

TEST(Match, TheProtocolCountsWhereThereAreSeveral) {
  const auto with = [](std::vector<const char*> protocols) {
    Report report = report_of({});
    for (const char* protocol : protocols) {
      report.records.push_back(timed("ring", 65536, 1e-4));
      report.records.back().protocol = protocol;
    }
    return report;
  };
  EXPECT_EQ(count(compared(with({"slots"}), with({"direct"})), Change::kSame), 1);
  const Comparison both = compared(with({"simple", "ll"}), with({"ll"}));
  ASSERT_EQ(both.rows.size(), 2U);
  EXPECT_EQ(both.rows[0].change, Change::kMissing);
  EXPECT_EQ(both.rows[1].change, Change::kSame);
  EXPECT_NE(refusal([&] { compared(with({"ll", "ll"}), with({"ll"})); }), "");
}

TEST(Match, WhatWasSkippedTwiceIsNotJudged) {
  Report base = two_rows(), fresh = two_rows();
  for (Report* report : {&base, &fresh}) {
    report->records[1].status = Status::kSkipped;
    report->records[1].reason = "needs 8 GiB";
    report->records[1].time.reset();
  }
  const CompareRow row = row_of(compared(base, fresh), "tree", 65536);
  EXPECT_EQ(row.change, Change::kNotJudged);
  EXPECT_EQ(row.why, "skipped: needs 8 GiB");
}

TEST(Match, WhatIsSkippedOnlyNowIsMissing) {
  for (const Status status : {Status::kSkipped, Status::kTimeout}) {
    Report fresh = two_rows();
    fresh.records[1].status = status;
    fresh.records[1].reason = "needs 8 GiB";
    fresh.records[1].time.reset();
    const CompareRow row = row_of(compared(two_rows(), fresh), "tree", 65536);
    EXPECT_EQ(row.change, Change::kMissing);
    EXPECT_EQ(row.why.find("was measured, now "), 0U) << row.why;
    EXPECT_EQ(row_of(compared(fresh, two_rows()), "tree", 65536).change, Change::kNews);
  }
}

TEST(Match, WrongDataOnEitherSideIsSaid) {
  Report wrong = two_rows();
  wrong.records[1].status = Status::kWrong;
  wrong.records[1].verify.wrong = 3;
  EXPECT_EQ(row_of(compared(two_rows(), wrong), "tree", 65536).change, Change::kWrong);
  EXPECT_EQ(row_of(compared(wrong, two_rows()), "tree", 65536).change, Change::kWrong);
  wrong.records[1].status = Status::kOk;  // the count alone
  EXPECT_EQ(row_of(compared(two_rows(), wrong), "tree", 65536).change, Change::kWrong);
  CompareRules rules;
  rules.only = {"ring"};
  rules.min_bytes = 65537;
  const Comparison comparison = compared(two_rows(), wrong, rules);
  EXPECT_EQ(count(comparison, Change::kWrong), 1) << "whatever is chosen";
}

TEST(Match, WrongDataInAnyOfManyStartsIsSaid) {
  const std::vector<Report> right(3, two_rows());
  std::vector<Report> wrong = right;
  wrong[2].records[1].status = Status::kWrong;
  wrong[2].records[1].verify.wrong = 3;
  EXPECT_EQ(row_of(compare(right, wrong, {}), "tree", 65536).change, Change::kWrong);
  EXPECT_EQ(row_of(compare(wrong, right, {}), "tree", 65536).change, Change::kWrong);
}

TEST(Match, AMedianThatIsNoneIsRefused) {  // cases.md 55
  for (const double median : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity()}) {
    Report broken = two_rows();
    broken.records[1].time->median = median;
    const std::string text = refusal([&] { compared(broken, two_rows()); });
    EXPECT_NE(text.find("tree 64 KiB (host all-reduce"), std::string::npos) << text;
    EXPECT_EQ(text.find("baseline: "), 0U) << text;
    EXPECT_NE(refusal([&] { compared(two_rows(), broken); }), "");
  }
  Report broken = two_rows();
  broken.records[1].time.reset();
  EXPECT_NE(refusal([&] { compared(broken, two_rows()); }), "");
  CompareRules rules;
  rules.only = {"ring"};
  EXPECT_EQ(refusal([&] { compared(broken, two_rows(), rules); }), "") << "it is not judged";
}

TEST(Match, NothingToJudgeIsRefused) {  // cases.md 59
  const Report small = report_of({timed("ring", 8, 1e-6)});
  CompareRules rules;
  rules.min_bytes = 1 << 20;
  EXPECT_EQ(refusal([&] { compared(small, small, rules); }),
            "no row of at least 1 MiB to judge; the largest is 8 B; lower --min-bytes or measure "
            "larger sizes");
  EXPECT_EQ(refusal([&] { compared(report_of({}), small); }),
            "no row to judge: the baseline has no measured row; measure it again");
  Report skipped = small;
  skipped.records[0].time.reset();
  skipped.records[0].status = Status::kSkipped;
  skipped.records[0].reason = "needs 4 TiB";
  EXPECT_EQ(refusal([&] { compared(skipped, small); }),
            "no row to judge: the baseline has no measured row (skipped: needs 4 TiB); measure it "
            "again");
  EXPECT_NE(refusal([&] { compare({}, {}, {}); }), "");
}

TEST(Match, AFloorOfTheSizeLeavesTheRestOut) {
  CompareRules rules;
  rules.min_bytes = 65536;
  const Comparison comparison = compared(build(), build(), rules);
  EXPECT_EQ(row_of(comparison, "ring", 4096).change, Change::kNotJudged);
  EXPECT_EQ(row_of(comparison, "ring", 4096).why, "smaller than 64 KiB");
  EXPECT_EQ(row_of(comparison, "ring", 65536).change, Change::kSame);
}

TEST(Match, OnlyChosenAlgorithmsAreJudged) {
  CompareRules rules;
  rules.only = {"ring"};
  const Comparison comparison = compared(build(), build(), rules);
  EXPECT_EQ(comparison.rows.size(), 5U);
  rules.only = {"rnig"};
  EXPECT_EQ(refusal([&] { compared(build(), build(), rules); }),
            "no row of algorithm 'rnig' to judge; there is naive-root, ring, tree");
}

TEST(Match, OneRankIsJudgedByItsTime) {  // cases.md 19
  Report base = two_rows(), fresh = two_rows();
  for (Report* report : {&base, &fresh}) {
    for (Record& record : report->records) record.ranks = 1;
  }
  fresh.records[0].time->median *= 2;
  const Comparison comparison = compared(base, fresh);
  EXPECT_EQ(row_of(comparison, "ring", 65536).change, Change::kSlower);
  for (const GateRow& row : gate_of(comparison, {}).rows) {
    for (const GateValue& value : row.values) {
      if (value.unit == "GB/s") {
        EXPECT_FALSE(value.value) << value.name;
      }
    }
  }
}

}  // namespace
}  // namespace arb
