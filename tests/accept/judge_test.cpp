// Rows, findings and exit codes of an acceptance.
#include "reports/accept/judge.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "tests/accept/fleet_model.hpp"
#include "tests/reports/plain_record.hpp"

namespace arb {
namespace {

TEST(Judge, AHealthyFleetPassesAndEveryRowSaysItsNumbers) {
  const Profile profile = plain_profile();
  const Gate gate = judge(quiet().measure(profile), profile);
  EXPECT_EQ(gate.name, "accept plain");
  EXPECT_TRUE(gate.complete);
  EXPECT_TRUE(gate.findings.empty());
  EXPECT_TRUE(gate.warnings.empty());
  EXPECT_EQ(gate.rows.size(), 15U * 4);  // data and three sizes
  EXPECT_EQ(count(gate, GateResult::kPass), gate.rows.size());
  std::set<std::pair<std::string, std::string>> names;
  for (const GateRow& row : gate.rows) {
    EXPECT_TRUE(names.insert({row.group, row.name}).second) << row.group << ": " << row.name;
    EXPECT_EQ(row.verdict, "ok");
    EXPECT_FALSE(row.why.empty());
  }
  const GateRow* row = row_named(gate, "pairs, round 1", "n00 + n05, fastest 1 MiB");
  ASSERT_NE(row, nullptr);
  EXPECT_NE(row->why.find("the fleet's median"), std::string::npos) << row->why;
  EXPECT_NE(row->why.find("(1.30x allowed)"), std::string::npos) << row->why;
  EXPECT_EQ(row->values[0].name, "time_s");
  ASSERT_GE(gate.context.size(), 4U);
  EXPECT_EQ(gate.context[2], "6 nodes, 6 ranks: n00 .. n05");
  EXPECT_EQ(gate.context[3], "measured: pairs (15 groups in 5 rounds)");
}

TEST(Judge, AHalfRateUnitFailsItsRowsAndIsTheFinding) {
  Faults faults;
  faults.half_rate = 4;
  const Profile profile = plain_profile();
  const Gate gate = judge(quiet(faults).measure(profile), profile);
  ASSERT_EQ(gate.findings.size(), 1U);
  EXPECT_EQ(gate.findings[0].find("FAIL n04: 1.8"), 0U) << gate.findings[0];
  EXPECT_EQ(count(gate, GateResult::kFail), 5U);  // only the large size, with each partner
  for (const GateRow& row : gate.rows) {
    if (row.result != GateResult::kFail) continue;
    EXPECT_EQ(row.verdict, "FAIL n04");
    EXPECT_NE(row.name.find("1 MiB"), std::string::npos);
  }
}

TEST(Judge, ALinkIsNamedByBothEnds) {
  Faults faults;
  faults.delay = {0, 3};
  const Profile profile = plain_profile();
  const Gate gate = judge(quiet(faults).measure(profile), profile);
  ASSERT_EQ(gate.findings.size(), 1U);
  EXPECT_EQ(gate.findings[0].find("FAIL n00 - n03: "), 0U) << gate.findings[0];
  EXPECT_NE(gate.findings[0].find("while both are fine with others"), std::string::npos);
  EXPECT_NE(gate.findings[0].find("8 B ring"), std::string::npos) << gate.findings[0];
}

TEST(Judge, WrongDataIsWrongWhateverTheTimes) {
  Faults faults;
  faults.corrupt = 2;
  const Profile profile = plain_profile();
  const Gate gate = judge(quiet(faults).measure(profile), profile);
  ASSERT_FALSE(gate.findings.empty());
  EXPECT_EQ(gate.findings[0].find("FAIL n02: wrong data with "), 0U) << gate.findings[0];
  EXPECT_GE(count(gate, GateResult::kWrong), 1U);
  EXPECT_NE(gate.findings[0].find("element 7 of rank "), std::string::npos) << gate.findings[0];
  EXPECT_NE(gate.findings[0].find(": 3.5, wanted 3 (exact)"), std::string::npos);
}

TEST(Judge, AWholeFleetBelowAFloorNamesNobody) {
  Profile profile = plain_profile();
  Limit floor;
  floor.min_bytes = 1 << 20;
  floor.min_busbw_gbps = 0.03;
  floor.source = "a data sheet";
  profile.limits = {floor};
  const Gate gate = judge(quiet().measure(profile), profile);
  ASSERT_EQ(gate.findings.size(), 1U);
  EXPECT_EQ(gate.findings[0].find("FAIL: the whole fleet, fastest 1 MiB: "), 0U)
      << gate.findings[0];
  EXPECT_NE(gate.findings[0].find("at least 0.0300 GB/s demanded"), std::string::npos)
      << gate.findings[0];
  EXPECT_EQ(count(gate, GateResult::kFail), 15U);
  EXPECT_NE(gate.rows[1].why.find("source: a data sheet"), std::string::npos) << gate.rows[1].why;
}

TEST(Judge, AFloorWithoutARowIsAMistakeOfTheProfile) {
  Profile profile = plain_profile();
  Limit floor;
  floor.min_bytes = int64_t{256} << 20;
  floor.min_busbw_gbps = 10;
  profile.limits.push_back(floor);
  try {
    judge(quiet().measure(profile), profile);
    FAIL() << "judged";
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find("limits[1] (every stage, from 256 MiB on): no row of at least 256 MiB "
                           "to judge; the largest that was measured has 1 MiB"),
              0U)
        << message;
  }
  // Not so if its stage was not measured: then it is skipped.
  profile.limits[1].stage = Stage::kAll;
  profile.stages.push_back({Stage::kAll, {}, 0, 0});
  Fleet fleet = quiet().measure(profile);
  const auto expect_skipped = [&profile](const Fleet& measured, const std::string& why) {
    const Gate gate = judge(measured, profile);
    const GateRow* row = row_named(gate, "all", "stage");
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->result, GateResult::kSkipped);
    EXPECT_EQ(row->why, why);
  };
  fleet.skipped = {Stage::kAll};
  expect_skipped(fleet, "makes no sense for 6 nodes");
  fleet.skipped.clear();
  fleet.unasked = {Stage::kAll};
  expect_skipped(fleet, "--stages leaves it out");
}

TEST(Judge, HalfABadFleetIsHintedAt) {
  Faults faults;
  faults.slow = {2, 3};
  const Profile profile = plain_profile();
  const Gate gate = judge(quiet(faults, 4).measure(profile), profile);
  EXPECT_TRUE(gate.findings.empty());
  ASSERT_FALSE(gate.warnings.empty());
  EXPECT_NE(gate.warnings[0].find("n00 + n01 is 3"), std::string::npos) << gate.warnings[0];
}

TEST(Judge, MemoryIsHeldAgainstTheFleetsMedian) {
  Profile profile = plain_profile();
  profile.stages.insert(profile.stages.begin(), {Stage::kAlone, {}, 0, 0});
  profile.min_copy_of_fleet = 0.7;
  Fleet fleet = quiet().measure(profile);
  const auto alone = [&](int unit, double copy) {
    GroupResult result;
    result.units = {unit};
    result.copy_limit_gbps = copy;
    fleet.results.push_back(result);
  };
  for (int unit = 0; unit < 6; ++unit) alone(unit, unit == 2 ? 5 : 10);
  Gate gate = judge(fleet, profile);
  EXPECT_TRUE(gate.findings.empty());
  EXPECT_EQ(count(gate, GateResult::kUnsure), 1U);
  EXPECT_EQ(suspects_alone(fleet, profile), std::vector<int>{2});
  alone(2, 5.2);
  gate = judge(fleet, profile);
  ASSERT_EQ(gate.findings.size(), 1U);
  EXPECT_EQ(gate.findings[0],
            "FAIL n02: copies memory at 5.20 GB/s, 52 % of the fleet's median 10.0 GB/s (at least "
            "70 % demanded)");
  alone(2, 9);
  EXPECT_TRUE(judge(fleet, profile).findings.empty());
  EXPECT_TRUE(suspects_alone(fleet, profile).empty());
}

TEST(Judge, WhereMostAreBadAloneNobodyIsMeasuredAgainOrBlamed) {
  Profile profile = plain_profile();
  profile.stages = {{Stage::kAlone, {}, 0, 0}};
  profile.limits.resize(1);
  profile.limits[0] = {};
  profile.limits[0].stage = Stage::kAlone;
  profile.limits[0].max_time_s = 1.5;
  Fleet fleet = quiet().measure(plain_profile());
  fleet.results.clear();
  for (int unit = 0; unit < 6; ++unit) {
    fleet.results.push_back(together(Stage::kAlone, 2, unit < 4 ? 2 : 1));
    fleet.results.back().units = {unit};
  }
  const Gate most = judge(fleet, profile);
  EXPECT_EQ(count(most, GateResult::kFail), 4U) << "what no fleet is needed for fails all the same";
  EXPECT_TRUE(suspects_alone(fleet, profile).empty());
  EXPECT_TRUE(blame(fleet, profile).empty());
  for (size_t unit = 1; unit < 4; ++unit) fleet.results[unit].records[0].time->median = 1;
  EXPECT_EQ(count(judge(fleet, profile), GateResult::kUnsure), 1U) << "one may be a moment";
  EXPECT_EQ(suspects_alone(fleet, profile), std::vector<int>{0});
}

TEST(Judge, ResultsThatNobodyCheckedAreNotCalledRight) {
  const Profile profile = plain_profile();
  Fleet fleet = quiet().measure(profile);
  for (Record& record : fleet.results[0].records) record.verify.checks = 0;
  const Gate gate = judge(fleet, profile);
  EXPECT_EQ(count(gate, GateResult::kUnsure), 1U);
  EXPECT_EQ(gate.rows[0].result, GateResult::kUnsure);
  EXPECT_NE(gate.rows[0].why.find("no result was checked"), std::string::npos) << gate.rows[0].why;
}

TEST(Judge, WhoIsWaitedForByFewOfItsPartnersIsNotBlamed) {
  Profile profile = plain_profile();
  profile.max_straggler_share = 0.5;
  const auto waited_by = [&](int partners) {
    Fleet fleet = quiet().measure(profile);
    for (GroupResult& result : fleet.results) {
      if (result.units[0] != 0 || result.units[1] > partners) continue;
      for (Record& record : result.records) record.straggler = 0;
    }
    return fleet;
  };
  const Fleet few = waited_by(3), all = waited_by(5);
  EXPECT_TRUE(blame(few, profile).empty()) << "in 9 of 15 cases, but never by two of the five";
  EXPECT_EQ(count(judge(few, profile), GateResult::kFail), 0U);
  const std::vector<Culprit> culprits = blame(all, profile);
  ASSERT_EQ(culprits.size(), 1U);
  EXPECT_EQ(culprits[0].units, std::vector<int>{0});
  EXPECT_EQ(count(judge(all, profile), GateResult::kFail), 1U);
}

TEST(Judge, AGroupWithoutResultsIsAFailureOfItsUnits) {
  Profile profile = plain_profile();
  profile.stages.push_back({Stage::kAll, {}, 0, 0});
  Fleet fleet = quiet().measure(profile);
  GroupResult all = together(Stage::kAll, 6, 1);
  all.records.clear();
  all.error = "rank 3 does not answer";
  fleet.results.push_back(all);
  const Gate gate = judge(fleet, profile);
  const GateRow* row = row_named(gate, "all", "all 6 nodes, measuring");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->result, GateResult::kFail);
  EXPECT_EQ(row->why, "all 6 nodes could not be measured: rank 3 does not answer");
  ASSERT_EQ(gate.findings.size(), 1U);
}

TEST(Judge, ASoakThatSlowsDownDrifts) {
  Profile profile = plain_profile();
  profile.limits.clear();
  profile.stages = {{Stage::kSoak, {}, 0, 1}};
  profile.max_drift = 0.2;
  FleetModel model = quiet();
  Fleet fleet = model.measure(profile);
  fleet.results.clear();
  const auto soak = [&](double growth) {
    fleet.results.clear();
    for (int i = 0; i < 12; ++i) {
      fleet.results.push_back(together(Stage::kSoak, 6, 0.1 * (1 + growth * i / 11)));
      fleet.results.back().started_s = 60.0 * i;
    }
    return judge(fleet, profile);
  };
  EXPECT_EQ(count(soak(0.1), GateResult::kFail), 0U);
  const Gate gate = soak(0.5);
  const GateRow* row = row_named(gate, "soak", "all 6 nodes, ring 1 MiB, drift");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->result, GateResult::kFail);
  EXPECT_EQ(row->why,
            "from 105 ms in the first quarter to 145 ms in the last, +39 % (20 % allowed)");
  ASSERT_EQ(gate.findings.size(), 1U);

  fleet.results[5].records[0].verify.wrong = 2;
  fleet.results[5].records[0].status = Status::kWrong;
  const Gate wrong = judge(fleet, profile);
  EXPECT_EQ(count(wrong, GateResult::kWrong), 1U);
  EXPECT_NE(wrong.rows[0].why.find("5.0 minutes after the start"), std::string::npos)
      << wrong.rows[0].why;
  EXPECT_NE(wrong.findings[0].find("all 6 nodes, data"), std::string::npos) << wrong.findings[0];
  fleet.results.resize(4);
  EXPECT_EQ(count(judge(fleet, profile), GateResult::kUnsure), 1U);
}

}  // namespace
}  // namespace arb
