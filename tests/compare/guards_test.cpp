// What keeps a row from being called slower although its times are: each guard is all that stands
// between the verdict and a false alarm here.
#include <gtest/gtest.h>

#include "reports/flags.hpp"
#include "tests/compare/builds.hpp"

namespace arb {
namespace {

constexpr int kRow = 7;  // ring 64 KiB

Report slow_row(double factor = 2) {
  return build([factor](int a, int s) { return a * 5 + s == kRow ? factor : 1.0; });
}

const CompareRow& the_row(const Comparison& comparison) { return comparison.rows[kRow]; }

TEST(Guards, WithoutThemItIsSlower) {
  EXPECT_EQ(the_row(compared(build(), slow_row())).change, Change::kSlower);
}

TEST(Guards, FlagsForbidAVerdict) {
  for (const std::string_view flag :
       {flag::kOversubscribed, flag::kBusyMachine, flag::kThrottled, flag::kNoisy}) {
    for (const bool in_base : {false, true}) {
      Report base = build(), fresh = slow_row();
      (in_base ? base : fresh).records[kRow].flags = {"time cap", std::string(flag)};
      const CompareRow row = the_row(compared(base, fresh));
      EXPECT_EQ(row.change, Change::kCannotTell) << flag;
      EXPECT_EQ(row.why.find(std::string(flag)), 0U) << row.why;
      EXPECT_NEAR(*row.ratio, 2, 1e-9) << "it is shown all the same";
      EXPECT_FALSE(row.interval);
      fresh.records[kRow].time->median /= 4;
      EXPECT_EQ(the_row(compared(base, fresh)).change, Change::kCannotTell) << "nor faster";
    }
  }
}

TEST(Guards, OtherFlagsDoNot) {
  Report fresh = slow_row();
  fresh.records[kRow].flags = {std::string(flag::kTimeCap), std::string(flag::kOwnTime)};
  EXPECT_EQ(the_row(compared(build(), fresh)).change, Change::kSlower);
}

TEST(Guards, AFlaggedStartDoesNotCountBesideOthers) {
  std::vector<Report> base(3, build()), fresh(3, build());
  fresh[1] = slow_row();
  fresh[1].records[kRow].flags = {std::string(flag::kBusyMachine)};
  const Comparison comparison = compare(base, fresh, {});
  EXPECT_EQ(the_row(comparison).change, Change::kSame);
  EXPECT_EQ(the_row(comparison).fresh_starts, 2);
}

TEST(Guards, AnotherStateOfTheMachineForbidsAVerdict) {
  Report base = build(), fresh = slow_row();
  base.records[kRow].handoff_s = {70e-9, 70e-9};
  fresh.records[kRow].handoff_s = {75e-9, 70e-9};
  EXPECT_EQ(the_row(compared(base, fresh)).change, Change::kSlower);
  fresh.records[kRow].handoff_s = {210e-9, 210e-9};
  const CompareRow row = the_row(compared(base, fresh));
  EXPECT_EQ(row.change, Change::kCannotTell);
  EXPECT_EQ(row.why,
            "the machine is in another state: a cache line takes 210 ns between cores, 70.0 ns in "
            "the baseline; measure again, or use --ab");
  EXPECT_EQ(row.fresh_starts, 0);
  fresh.records[kRow].handoff_s = {70e-9, 210e-9};
  EXPECT_EQ(the_row(compared(base, fresh)).change, Change::kCannotTell);
}

TEST(Guards, StartsInAnotherStateDoNotCount) {
  std::vector<Report> base(4, build());
  const Report fresh = build();
  for (Report& each : base) each.records[kRow].handoff_s = {70e-9, 70e-9};
  base[2] = slow_row(1 / 3.0);
  base[2].records[kRow].handoff_s = {20e-9, 20e-9};
  const CompareRow row = the_row(compare(base, {&fresh, 1}, {}));
  EXPECT_EQ(row.base_starts, 3);
  EXPECT_NEAR(*row.ratio, 1, 1e-9);
}

/// Most samples as they were, but the median moved: a mode that changed its weight.
void give_samples(Record& record, double share_slow) {
  for (int i = 0; i < 100; ++i) {
    const double fast = 1e-4 * (1 + i * 1e-4);
    record.time->samples.push_back(i < share_slow * 100 ? 2 * fast : fast);
  }
}

TEST(Guards, SamplesMustAgree) {
  Report base = build(), fresh = slow_row();
  give_samples(base.records[kRow], 0.48);
  give_samples(fresh.records[kRow], 0.52);
  const CompareRow row = the_row(compared(base, fresh));
  EXPECT_EQ(row.change, Change::kCannotTell);
  EXPECT_NE(row.why.find("the samples do not show it (rank-sum p = "), std::string::npos)
      << row.why;
  EXPECT_GT(*row.rank_sum_p, 0.01);
}

TEST(Guards, SamplesThatAgreeConfirm) {
  Report base = build(), fresh = slow_row();
  give_samples(base.records[kRow], 0);
  give_samples(fresh.records[kRow], 1);
  const CompareRow row = the_row(compared(base, fresh));
  EXPECT_EQ(row.change, Change::kSlower);
  EXPECT_LT(*row.rank_sum_p, 1e-6);
}

TEST(Guards, SamplesAreHeldAgainstTheLimitNotAgainstTheBaseline) {
  Report base = build(), fresh = slow_row();
  for (int i = 0; i < 1000; ++i) {
    base.records[kRow].time->samples.push_back(1e-4 * (1 + i * 1e-5));
    fresh.records[kRow].time->samples.push_back(1.04e-4 * (1 + i * 1e-5));  // 5 % is allowed
  }
  EXPECT_EQ(the_row(compared(base, fresh)).change, Change::kCannotTell);
}

std::vector<ReportPair> pairs_of(const Report& base, const Report& fresh) {
  return std::vector<ReportPair>(20, {base, fresh});
}

TEST(Guards, OfPairs) {
  EXPECT_EQ(the_row(compare_pairs(pairs_of(build(), slow_row()), {})).change, Change::kSlower);
  Report base = build(), fresh = slow_row();
  fresh.records[kRow].flags = {std::string(flag::kBusyMachine)};
  EXPECT_EQ(the_row(compare_pairs(pairs_of(base, fresh), {})).change, Change::kCannotTell);
  fresh = slow_row();
  base.records[kRow].handoff_s = {70e-9, 70e-9};
  fresh.records[kRow].handoff_s = {210e-9, 210e-9};
  EXPECT_EQ(the_row(compare_pairs(pairs_of(base, fresh), {})).change, Change::kCannotTell);
  base = build(), fresh = slow_row();
  give_samples(base.records[kRow], 0.48);
  give_samples(fresh.records[kRow], 0.52);
  EXPECT_EQ(the_row(compare_pairs(pairs_of(base, fresh), {})).change, Change::kCannotTell);
}

TEST(Guards, SamplesOfPairsAreHeldAgainstTheLimitToo) {
  Report base = build(), fresh = slow_row();
  for (int i = 0; i < 100; ++i) {  // 2 % above a baseline that hardly scatters; 5 % is allowed
    base.records[kRow].time->samples.push_back(base.records[kRow].time->median * (1 + i * 1e-5));
    fresh.records[kRow].time->samples.push_back(base.records[kRow].time->median *
                                                (1.02 + i * 1e-5));
  }
  EXPECT_EQ(the_row(compare_pairs(pairs_of(base, fresh), {})).change, Change::kCannotTell);
}

TEST(Guards, PairsOfWhichNoneHasItOnBothSidesTellNothing) {
  std::vector<ReportPair> pairs = pairs_of(build(), build());
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto& records = (i % 2 == 0 ? pairs[i].base : pairs[i].fresh).records;
    records.erase(records.begin() + kRow);
  }
  const CompareRow row = row_of(compare_pairs(pairs, {}), "ring", 65536);
  EXPECT_EQ(row.change, Change::kCannotTell);
  EXPECT_EQ(row.why, "no pair has it on both sides; measure again");
}

TEST(Guards, PairsInTwoStatesDoNotCountBesideOthers) {
  std::vector<ReportPair> pairs = pairs_of(build(), build());
  for (size_t i = 0; i < 5; ++i) {
    pairs[i].fresh = slow_row();
    pairs[i].base.records[kRow].handoff_s = {70e-9, 70e-9};
    pairs[i].fresh.records[kRow].handoff_s = {70e-9, 210e-9};
  }
  const CompareRow row = the_row(compare_pairs(pairs, {}));
  EXPECT_EQ(row.base_starts, 15);
  EXPECT_EQ(row.fresh_starts, 15);
  EXPECT_EQ(row.change, Change::kSame);
}

}  // namespace
}  // namespace arb
