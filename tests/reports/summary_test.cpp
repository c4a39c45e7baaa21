#include "reports/summary.hpp"

#include <gtest/gtest.h>

#include "reports/flags.hpp"
#include "tests/reports/sample_report.hpp"

namespace arb {
namespace {

Report two_algorithms() {
  Report report;
  report.complete = true;
  report.records = {sample_record(), sample_record()};
  report.records[0].algorithm = "tree";
  report.best = {{"host", "all-reduce", 4, false, 8, 32768, "tree", true},
                 {"host", "all-reduce", 4, false, 65536, 1048576, "ring", true}};
  return report;
}

TEST(Summary, SaysWhichAlgorithmToUseWhere) {
  Report report = two_algorithms();
  report.crossovers = {{"host",
                        "all-reduce",
                        4,
                        false,
                        "tree",
                        "ring",
                        "measured",
                        62668.8,
                        {{53350.4, 72089.6}},
                        true}};
  EXPECT_EQ(
      write_summary(report),
      "4 ranks: tree is fastest up to 61.2 KiB [52.1, 70.4], then ring.\nAll 2 results correct.\n");
}

TEST(Summary, AnUnresolvedCrossoverIsCalledSo) {
  Report report = two_algorithms();
  report.crossovers = {
      {"host", "all-reduce", 4, false, "tree", "ring", "measured", 62668.8, {}, false}};
  EXPECT_EQ(write_summary(report),
            "4 ranks: tree is fastest up to about 32 KiB (the exact crossover is not resolved), "
            "then ring.\n"
            "All 2 results correct.\n");
}

TEST(Summary, TheNearestOfSeveralCrossoversCounts) {
  Report report = two_algorithms();
  for (const double bytes : {100.0, 40960.0, 1e6}) {
    report.crossovers.push_back(
        {"host", "all-reduce", 4, false, "tree", "ring", "measured", bytes, {}, true});
  }
  EXPECT_NE(write_summary(report).find("up to 40.0 KiB, then ring"), std::string::npos);
}

TEST(Summary, AMeasuredCrossoverGoesBeforeAFittedOne) {
  Report report = two_algorithms();
  report.crossovers = {
      {"host", "all-reduce", 4, false, "tree", "ring", "fitted", 46341.0, {}, true},
      {"host", "all-reduce", 4, false, "tree", "ring", "measured", 61440.0, {}, true},
      {"host", "all-reduce", 4, false, "tree", "ring", "measured", 4.0, {}, true},  // outside of
                                                                                    // the two rows
      {"host", "all-reduce", 2, false, "tree", "ring", "measured", 40960.0, {}, true},
  };
  EXPECT_NE(write_summary(report).find("up to 60.0 KiB, then ring"), std::string::npos);
}

TEST(Summary, NothingIsCalledCorrectThatWasNotChecked) {
  Report report = two_algorithms();
  report.records[1].verify = Verification{};
  report.records[1].verify.verdict = "not checked";
  EXPECT_NE(write_summary(report).find("2 results: 1 correct, 1 not checked"), std::string::npos);
  EXPECT_EQ(correctness_text({}), "No results.\n");
}

TEST(Summary, ProposesAnOptionThatWasNotTried) {
  EXPECT_EQ(remedy_for(flag::kTimeCap, {"allreduce-bench"}), "raise the cap with --max-time 10s");
  EXPECT_EQ(remedy_for(flag::kTimeCap, {"allreduce-bench", "--max-time=2s"}),
            "raise --max-time further, or accept wider intervals with --precision 5%");
  EXPECT_EQ(remedy_for(flag::kTimeCap, {"--max-time", "2s", "--precision", "9%"}),
            "raise --max-time further, or measure when the machine is quiet");
  EXPECT_EQ(remedy_for("unknown", {}), "");
}

TEST(Summary, FlagsBecomeWarnings) {
  Report report = two_algorithms();
  report.records[0].flags = {"oversubscribed", "made up"};
  const std::string text = warnings_text(report);
  EXPECT_NE(
      text.find("Warning: 1 of 2 results flagged 'oversubscribed': more ranks than usable cores"),
      std::string::npos);
  EXPECT_NE(text.find("Warning: 1 of 2 results flagged 'made up'.\n"), std::string::npos);
}

}  // namespace
}  // namespace arb
