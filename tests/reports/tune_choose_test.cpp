#include <gtest/gtest.h>

#include <algorithm>

#include "reports/tune/choose.hpp"
#include "reports/tune/effect.hpp"
#include "reports/tune/openmpi.hpp"
#include "reports/tune/text.hpp"
#include "tests/reports/golden.hpp"
#include "tests/reports/tune_report.hpp"

namespace arb {
namespace {

using Chosen = std::vector<std::string>;

/// The variants at the sizes of a scale.
Chosen variants(const Scale& scale) {
  Chosen all;
  for (const Choice& choice : scale.choices) all.push_back(choice.variant);
  return all;
}

Report report_of(std::vector<Record> records) {
  Report report;
  report.records = std::move(records);
  return report;
}

Tuning only(const Report& report) {
  const auto tunings = choose(report, kOpenMpi);
  EXPECT_EQ(tunings.size(), 1U);
  return tunings.at(0);
}

bool notes_say(const Tuning& tuning, const std::string& words) {
  return std::any_of(tuning.notes.begin(), tuning.notes.end(), [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

TEST(TuneChoose, TakesTheFastestOfThoseToldApartFromTheDefault) {
  const Tuning tuning = only(openmpi_report());
  ASSERT_EQ(tuning.scales.size(), 2U);
  EXPECT_EQ(tuning.scales[0].ranks, 2);
  EXPECT_EQ(variants(tuning.scales[0]), (Chosen{"", "rabenseifner", ""}));
  EXPECT_EQ(tuning.scales[1].ranks, 4);
  // At 64 KiB ring is ahead by 1 % only: no change there.
  EXPECT_EQ(variants(tuning.scales[1]),
            (Chosen{"", "recursive-doubling", "recursive-doubling", "ring"}));
  EXPECT_EQ(tuning.scales[1].choices[0].why, "not told apart from the default");
  EXPECT_EQ(tuning.scales[0].choices[0].why, "the default is not beaten");
  EXPECT_DOUBLE_EQ(tuning.scales[1].choices[1].speedup, 2);
  EXPECT_TRUE(tuning.has_rules());
}

TEST(TuneChoose, AWideIntervalIsNoWin) {
  const Tuning tuning = only(report_of({
      tuned_record("openmpi:default", 4, 1024, 10e-6),
      tuned_record("openmpi:ring", 4, 1024, 5e-6, 0.99),  // fastest, but nobody knows
      tuned_record("openmpi:rabenseifner", 4, 1024, 8e-6),
  }));
  EXPECT_EQ(variants(tuning.scales[0]), Chosen{"rabenseifner"});
  EXPECT_EQ(tuning.scales[0].choices[0].fastest, "ring");
}

TEST(TuneChoose, WithoutIntervalOrDefaultNothingIsChosen) {
  Record bare = tuned_record("openmpi:ring", 4, 1024, 5e-6);
  bare.time->ci95.reset();
  const Tuning tuning = only(report_of({tuned_record("openmpi:default", 4, 1024, 10e-6), bare,
                                        tuned_record("openmpi:ring", 4, 4096, 5e-6)}));
  EXPECT_EQ(variants(tuning.scales[0]), (Chosen{"", ""}));
  EXPECT_EQ(tuning.scales[0].choices[1].why, "the default was not measured");
  EXPECT_FALSE(tuning.has_rules());
}

TEST(TuneChoose, DisturbedWrongAndMissingTimesAreNeverUsed) {
  for (const char* flag : {"noisy", "busy machine", "throttled", "interrupted"}) {
    Record disturbed = tuned_record("openmpi:ring", 4, 1024, 5e-6);
    disturbed.flags = {flag};
    const Tuning tuning =
        only(report_of({tuned_record("openmpi:default", 4, 1024, 10e-6), disturbed}));
    EXPECT_EQ(variants(tuning.scales[0]), Chosen{""}) << flag;
    EXPECT_TRUE(notes_say(tuning, std::string("1 record not used: flag '") + flag)) << flag;
  }
  for (const Status status : {Status::kWrong, Status::kSkipped, Status::kTimeout}) {
    Record bad = tuned_record("openmpi:ring", 4, 1024, 5e-6);
    bad.status = status;
    const Tuning tuning = only(report_of({tuned_record("openmpi:default", 4, 1024, 10e-6), bad}));
    EXPECT_EQ(variants(tuning.scales[0]), Chosen{""});
    EXPECT_TRUE(notes_say(tuning, "1 record not used"));
  }
  for (const char* flag : {"time cap", "oversubscribed"}) {
    Record fine = tuned_record("openmpi:ring", 4, 1024, 5e-6);
    fine.flags = {flag};
    const Tuning tuning = only(report_of({tuned_record("openmpi:default", 4, 1024, 10e-6), fine}));
    EXPECT_EQ(variants(tuning.scales[0]), Chosen{"ring"}) << flag;
  }
}

TEST(TuneChoose, OtherBackendsAndAlgorithmsAreNotTheLibrarys) {
  Record host = tuned_record("openmpi:ring", 4, 1024, 5e-6);
  host.backend = "host";
  EXPECT_TRUE(choose(report_of({host, tuned_record("ring", 4, 1024, 1e-6)}), kOpenMpi).empty());
  const Tuning tuning = only(report_of({tuned_record("openmpi:magic", 4, 1024, 1e-6)}));
  EXPECT_TRUE(tuning.measured.empty());
  EXPECT_TRUE(notes_say(tuning, "openmpi:magic: coll/tuned has no such algorithm"));
}

TEST(TuneChoose, TheLargestCombinationIsTakenAndTheOthersAreNamed) {
  std::vector<Record> records;
  for (const int64_t bytes : {1024, 4096}) {
    records.push_back(tuned_record("openmpi:default", 4, bytes, 10e-6));
    records.push_back(tuned_record("openmpi:ring", 4, bytes, 5e-6));
    records[records.size() - 2].op = records.back().op = "max";
  }
  records.push_back(tuned_record("openmpi:default", 4, 1024, 10e-6));
  records.push_back(tuned_record("openmpi:rabenseifner", 4, 1024, 5e-6));
  const Tuning larger = only(report_of(records));
  EXPECT_EQ(larger.of.op, "max");
  EXPECT_EQ(variants(larger.scales[0]), (Chosen{"ring", "ring"}));
  EXPECT_TRUE(notes_say(larger, "2 records not used: all-reduce of float32, sum"));
  records.erase(records.begin(), records.begin() + 2);  // a tie: the usual one
  EXPECT_EQ(only(report_of(records)).of.op, "sum");
}

TEST(TuneChoose, OneRankCountOnSeveralNodeCountsIsLeftAlone) {
  std::vector<Record> records = {tuned_record("openmpi:default", 4, 1024, 10e-6),
                                 tuned_record("openmpi:ring", 4, 1024, 5e-6)};
  for (Record record : {records[0], records[1]}) {
    record.nodes = 2;
    records.push_back(record);
  }
  const Tuning tuning = only(report_of(records));
  ASSERT_EQ(tuning.scales.size(), 2U);
  EXPECT_FALSE(tuning.has_rules());
  EXPECT_NE(tuning.scales[0].choices[0].why.find("node counts"), std::string::npos);
}

TEST(TuneChoose, NeighboursWithOneChoiceAreOneRange) {
  const auto ranges = ranges_of(only(openmpi_report()).scales[1]);
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges[1].variant, "recursive-doubling");
  EXPECT_EQ(ranges[1].first_bytes, 4096);
  EXPECT_EQ(ranges[1].last_bytes, 65536);
  EXPECT_EQ(ranges[1].sizes, (std::vector<int64_t>{4096, 65536}));
  EXPECT_DOUBLE_EQ(ranges[1].least_speedup, 1.6);
  EXPECT_DOUBLE_EQ(ranges[1].most_speedup, 2);
}

TEST(TuneText, TableNamesEveryRange) {
  expect_golden("tune.table.txt", tuning_table(only(openmpi_report()), kOpenMpi));
}

TEST(TuneEffect, OnlyAWholeIntervalAwayFromOneCounts) {
  EXPECT_EQ(judge({1.5, 1.6, 1.7, 1.4, 1.5, 1.6}).verdict, Verdict::kFaster);
  EXPECT_EQ(judge({1.5, 1.6, 1.7, 0.9, 1.5, 1.6}).verdict, Verdict::kEqual);
  EXPECT_EQ(judge({0.5, 0.6, 0.7, 0.9, 0.5, 0.6}).verdict, Verdict::kSlower);
  EXPECT_EQ(judge({0.5, 0.6, 0.7, 1.1, 0.5, 0.6}).verdict, Verdict::kEqual);
  EXPECT_EQ(judge({0.99, 0.99, 0.99, 0.99, 0.99, 0.99}).verdict, Verdict::kEqual);
  const Effect effect = judge({4, 1, 2, 3, 6, 5});
  EXPECT_DOUBLE_EQ(effect.ratio, 3.5);
  EXPECT_DOUBLE_EQ(effect.low, 1);
  EXPECT_DOUBLE_EQ(effect.high, 6);
  EXPECT_DOUBLE_EQ(mean_ratio({4, 1}, {1, 1}), 2);
}

}  // namespace
}  // namespace arb
