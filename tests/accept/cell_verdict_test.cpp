// What is demanded of one measured case, and when missing it once may be an accident.
#include "reports/accept/cell_verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/accept/fleet_model.hpp"

namespace arb {
namespace {

TEST(CellVerdict, APairThatWasBadOnceIsNotToldAndNotBlamed) {
  const Profile profile = plain_profile();
  Fleet fleet = quiet().measure(profile);
  fleet.results[7].records[2].time->median *= 2;
  Gate gate = judge(fleet, profile);
  EXPECT_EQ(count(gate, GateResult::kUnsure), 1U);
  EXPECT_EQ(count(gate, GateResult::kFail), 0U);
  EXPECT_TRUE(gate.findings.empty());
  ASSERT_EQ(gate.warnings.size(), 1U);
  EXPECT_NE(gate.warnings[0].find("measure again"), std::string::npos);
  // The better of two counts.
  fleet.results.push_back(fleet.results[7]);
  fleet.results.back().round = 5;
  fleet.results.back().records[2].time->median /= 2;
  gate = judge(fleet, profile);
  EXPECT_EQ(count(gate, GateResult::kPass), gate.rows.size());
}

TEST(CellVerdict, ThreeGroupsAtLeastMakeAMedian) {
  const Profile profile = plain_profile();
  const Gate gate = judge(quiet({}, 2).measure(profile), profile);
  EXPECT_EQ(count(gate, GateResult::kUnsure), 3U);
  for (const GateRow& row : gate.rows) {
    if (row.result != GateResult::kUnsure) continue;
    EXPECT_NE(row.why.find("1 group of this kind"), std::string::npos) << row.why;
  }
  ASSERT_EQ(gate.warnings.size(), 1U);
  EXPECT_EQ(gate.warnings[0].find("only the data was judged: of 3 demands on times none"), 0U)
      << gate.warnings[0];
  EXPECT_TRUE(gate.findings.empty());
}

TEST(CellVerdict, GroupsAreHeldAgainstThoseWithoutCulprits) {
  Faults faults;
  faults.half_rate = 4;
  Profile profile = plain_profile();
  profile.stages.push_back({Stage::kGroups, {}, 0, 0});
  Fleet fleet = quiet(faults, 9).measure(profile);
  const auto group = [&](int first, double seconds) {
    fleet.results.push_back(together(Stage::kGroups, 3, seconds));
    fleet.results.back().units = {first, first + 1, first + 2};
  };
  group(0, 0.10);
  group(3, 0.14);  // with the culprit
  group(6, 0.16);
  Gate gate = judge(fleet, profile);
  const GateRow* row = row_named(gate, "groups of 3", "n06 + n07 + n08, fastest 1 MiB");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->result, GateResult::kUnsure) << "it was measured once";
  EXPECT_NE(row->why.find("1.60x the fleet's median 100 ms"), std::string::npos) << row->why;
  row = row_named(gate, "groups of 3", "n03 + n04 + n05, fastest 1 MiB");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->result, GateResult::kFail) << "once is enough with a culprit in it";
  EXPECT_EQ(row->verdict, "FAIL n04");
  group(6, 0.16);
  gate = judge(fleet, profile);
  row = row_named(gate, "groups of 3", "n06 + n07 + n08, fastest 1 MiB");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->result, GateResult::kFail);
}

TEST(CellVerdict, TimesThatSpreadMissTheirDemand) {
  Profile profile = plain_profile();
  profile.max_spread = 0.2;
  profile.limits[0].algorithm = "ring";  // two demands on one row
  Fleet fleet = quiet().measure(profile);
  TimeStats& time = *fleet.results[7].records[2].time;
  time.p95 = 1.5 * time.median;
  EXPECT_EQ(count(judge(fleet, profile), GateResult::kUnsure), 1U) << "once";
  fleet.results.push_back(fleet.results[7]);
  const Gate gate = judge(fleet, profile);
  EXPECT_EQ(count(gate, GateResult::kFail), 1U);
  ASSERT_EQ(gate.findings.size(), 1U);
  EXPECT_NE(gate.findings[0].find("times spread by 50 %"), std::string::npos) << gate.findings[0];
  for (const GateRow& row : gate.rows) {
    if (row.result != GateResult::kFail) continue;
    EXPECT_EQ(row.why.find("the fleet's median"), std::string::npos) << row.why;
  }
}

TEST(CellVerdict, PairsThatWereBadTwiceFailThoughNobodyIsBlamedForTheirTimes) {
  Faults faults;
  faults.half_rate = 2;
  const Profile profile = plain_profile();
  Fleet fleet = quiet(faults).measure(profile);
  fleet.results.resize(15);  // each pair once
  for (GroupResult& result : fleet.results) {
    const auto unit = std::find(result.units.begin(), result.units.end(), 2);
    if (unit == result.units.end()) continue;
    Record& record = result.records[0];  // n02 is to blame for its data, and not also for its times
    record.status = Status::kWrong;
    record.verify.verdict = "wrong";
    record.verify.rank = static_cast<int>(unit - result.units.begin());
  }
  EXPECT_EQ(count(judge(fleet, profile), GateResult::kUnsure), 5U) << "once may be an accident";
  const std::vector<GroupResult> again = fleet.results;
  fleet.results.insert(fleet.results.end(), again.begin(), again.end());
  const Gate gate = judge(fleet, profile);
  EXPECT_EQ(count(gate, GateResult::kUnsure), 0U);
  EXPECT_EQ(count(gate, GateResult::kFail), 5U);
}

}  // namespace
}  // namespace arb
