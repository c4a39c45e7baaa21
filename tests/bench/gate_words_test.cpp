#include "bench/gate_words.hpp"

#include <gtest/gtest.h>

#include "tests/compare/builds.hpp"

namespace arb {
namespace {

using Words = std::vector<std::string>;

constexpr double kLimit = 1 / 0.95;

CompareRow row(const std::string& algorithm, int64_t bytes, Change change, double ratio = 1) {
  CompareRow made;
  made.key = timed(algorithm, bytes, 1e-6);
  made.change = change;
  const bool judged =
      change == Change::kSame || change == Change::kSlower || change == Change::kCannotTell;
  if (!judged) return made;
  made.limit = kLimit;
  made.ratio = ratio;
  made.base_starts = made.fresh_starts = 6;
  return made;
}

/// All sizes of an algorithm; of all algorithms: "".
CompareRow together(const std::string& algorithm, Change change, double ratio = 1) {
  CompareRow made = row(algorithm, 0, change, ratio);
  made.cases = 3;
  return made;
}

Comparison of(std::vector<CompareRow> rows) {
  Comparison comparison;
  comparison.rows = std::move(rows);
  return comparison;
}

TEST(SweepWords, KeepWhatIsMeasuredAndDropWhatJudgesAndWhereItGoes) {
  EXPECT_EQ(
      sweep_words({"allreduce-bench", "run", "--ab", "old/bench", "--sizes", "1K", "--max-drop=10%",
                   "--launcher", "mpirun -np 4", "-d", "int32", "--fail-unsure", "--output=o.json",
                   "-J", "r.json", "--no-progress", "--timeout", "60", "--in-place"}),
      (Words{"--sizes", "1K", "-d", "int32", "--in-place"}));
  EXPECT_EQ(sweep_words({"allreduce-bench", "--against", "a.json", "--against=b.json", "-n", "5"}),
            (Words{"-n", "5"}))
      << "run need not be said";
  EXPECT_EQ(sweep_words({"allreduce-bench", "run", "--ab=old/bench", "-Jr.json", "-n5"}),
            (Words{"-n5"}))
      << "or every start would judge again, without an end";
}

TEST(SuspiciousCases, AreTheSizesAtTheRanksOfWhatMayBeSlower) {
  Comparison comparison =
      of({row("ring", 8, Change::kSame), row("ring", 64, Change::kSlower, 2),
          row("tree", 4096, Change::kCannotTell, 1.5), row("tree", 65536, Change::kSame)});
  comparison.rows[2].key.ranks = 4;
  comparison.rows[2].key.requested_bytes = 4095;
  const Again again = suspicious_cases(comparison);
  EXPECT_EQ(again.words(), (Words{"--ranks", "2,4", "--sizes", "64,4095"}));
  EXPECT_TRUE(again.has(comparison.rows[1].key));
  EXPECT_FALSE(again.has(comparison.rows[0].key));
}

TEST(SuspiciousCases, NothingIsSuspiciousInWhatIsTheSame) {
  EXPECT_TRUE(suspicious_cases(of({row("ring", 8, Change::kSame)})).empty());
}

TEST(SuspiciousCases, OfAnAlgorithmAllItsSizes) {
  const Again again = suspicious_cases(
      of({row("ring", 8, Change::kSame), row("ring", 64, Change::kSame),
          row("tree", 512, Change::kSame), together("ring", Change::kSlower, 1.1)}));
  EXPECT_EQ(again.sizes, (std::set<int64_t>{8, 64}));
}

TEST(SuspiciousCases, OfAllAlgorithmsAllSizesThatAreJudged) {
  const Again again =
      suspicious_cases(of({row("ring", 8, Change::kNotJudged), row("ring", 64, Change::kSame),
                           row("tree", 512, Change::kSame), together("", Change::kSlower, 1.1)}));
  EXPECT_EQ(again.sizes, (std::set<int64_t>{64, 512}));
  EXPECT_EQ(again.ranks, (std::set<int64_t>{2}));
}

TEST(Only, TheCasesThatAreMeasuredAgainStay) {
  const Report report = report_of({timed("ring", 8, 1), timed("ring", 64, 1), timed("tree", 8, 1)});
  const Report part = only(report, {{2}, {8}});
  ASSERT_EQ(part.records.size(), 2U);
  EXPECT_EQ(part.records[1].algorithm, "tree");
  EXPECT_EQ(part.environment.fingerprint, report.environment.fingerprint);
}

Change confirmed_as(CompareRow first, std::vector<CompareRow> second) {
  return confirmed(of({std::move(first)}), of(std::move(second))).rows.at(0).change;
}

TEST(Confirmed, WhatWasSuspiciousIsJudgedByTheNewStarts) {
  const CompareRow alarm = row("ring", 64, Change::kSlower, 1.2);
  EXPECT_EQ(confirmed_as(alarm, {row("ring", 64, Change::kSame)}), Change::kSame);
  EXPECT_EQ(confirmed_as(alarm, {row("ring", 64, Change::kSlower, 1.2)}), Change::kSlower);
  EXPECT_EQ(confirmed_as(row("ring", 64, Change::kCannotTell, 1.2),
                         {row("ring", 8, Change::kSame), row("ring", 64, Change::kSlower, 1.2)}),
            Change::kSlower);
}

TEST(Confirmed, AFalseAlarmMustHappenTwice) {
  EXPECT_EQ(confirmed_as(row("tree", 64, Change::kSame), {row("tree", 64, Change::kSlower, 1.2)}),
            Change::kSame)
      << "it was measured again only because it stands beside a suspicious one";
}

TEST(Confirmed, WrongDataOfEitherMeasurementStays) {
  EXPECT_EQ(confirmed_as(row("tree", 64, Change::kWrong), {row("tree", 64, Change::kSame)}),
            Change::kWrong);
  EXPECT_EQ(confirmed_as(row("tree", 64, Change::kSame), {row("tree", 64, Change::kWrong)}),
            Change::kWrong);
}

TEST(Confirmed, WhatTheNewStartsDoNotTellIsNotSlowerForSure) {
  const Comparison left =
      confirmed(of({together("ring", Change::kSlower, 1.2)}), of({row("ring", 64, Change::kSame)}));
  EXPECT_EQ(left.rows[0].change, Change::kCannotTell);
  EXPECT_NE(left.rows[0].why, "");
}

TEST(Confirmed, RowsAreNotTakenForOneAnother) {
  EXPECT_EQ(confirmed_as(row("ring", 64, Change::kSlower, 1.2),
                         {row("tree", 64, Change::kSame), row("ring", 8, Change::kSame),
                          row("ring", 64, Change::kSlower, 1.3)}),
            Change::kSlower);
  EXPECT_EQ(confirmed_as(together("ring", Change::kSlower, 1.2),
                         {together("", Change::kSame), together("ring", Change::kSlower, 1.2)}),
            Change::kSlower);
}

TEST(Confirmed, WarningsAreSaidOnce) {
  Comparison first = of({}), second = of({});
  first.warnings = {"a"};
  second.warnings = {"a", "b"};
  EXPECT_EQ(confirmed(first, second).warnings, (Words{"a", "b"}));
}

}  // namespace
}  // namespace arb
