// What counts of several measurements of a group, and what limits demand of it.
#include "reports/accept/cells.hpp"

#include <gtest/gtest.h>

#include "reports/accept/demands.hpp"
#include "reports/accept/drift.hpp"
#include "reports/accept/evidence.hpp"
#include "reports/blocks.hpp"
#include "tests/reports/plain_record.hpp"

namespace arb {
namespace {

const CaseKey kKey{65536, "", 2, "all-reduce, float32 sum, out of place, hot"};

Record timed(double seconds, double spread = 0.1) {
  Record record = plain_record("ring", 2, kKey.bytes);
  record.time->n = 20;
  record.time->median = seconds;
  record.time->p95 = seconds * (1 + spread);
  return record;
}

GroupResult result(Stage stage, std::vector<int> units, std::vector<Record> records) {
  GroupResult made;
  made.stage = stage;
  made.units = std::move(units);
  made.records = std::move(records);
  return made;
}

Fleet fleet_of(std::vector<GroupResult> results) {
  Fleet fleet;
  fleet.noun = "node";
  fleet.units = {{"a", {0, 1}}, {"b", {2}}, {"c", {3, 4}}};
  fleet.results = std::move(results);
  return fleet;
}

Cell cell_of(Stage stage) {
  const Fleet fleet =
      fleet_of({result(stage, {0, 1}, {timed(3, 0.1)}), result(stage, {0, 1}, {timed(1, 0.3)}),
                result(stage, {0, 1}, {timed(2, 0.2)})});
  return subjects_of(fleet).at(0).cells.at(kKey);
}

TEST(Cells, TheBestOfRepeatedMeasurementsCounts) {
  const Cell cell = cell_of(Stage::kPairs);
  EXPECT_DOUBLE_EQ(cell.seconds, 1);
  EXPECT_NEAR(*cell.spread, 0.1, 1e-12);
  EXPECT_EQ(cell.measured, 3);
}

TEST(Cells, OfASoakTheMiddleCounts) {
  const Cell cell = cell_of(Stage::kSoak);
  EXPECT_DOUBLE_EQ(cell.seconds, 2);
  EXPECT_NEAR(*cell.spread, 0.2, 1e-12);
}

TEST(Cells, AGroupThatCouldBeMeasuredOnceHasNoError) {
  GroupResult broken = result(Stage::kPairs, {0, 1}, {});
  broken.error = "no answer";
  const Fleet fleet = fleet_of({broken, result(Stage::kPairs, {0, 1}, {timed(1)}), broken});
  EXPECT_EQ(subjects_of(fleet).at(0).error, "");
}

TEST(Cells, ATimeLimitInACaseIsAnError) {
  Record late = timed(1);
  late.status = Status::kTimeout;
  late.reason = "rank 1 waits";
  const Fleet fleet = fleet_of({result(Stage::kPairs, {0, 1}, {late})});
  const MeasuredGroup subject = subjects_of(fleet).at(0);
  EXPECT_EQ(subject.error, "time limit in ring 64 KiB: rank 1 waits");
  EXPECT_TRUE(subject.cells.empty());
}

TEST(Cells, AnyHintOfWrongDataIsWrong) {
  EXPECT_FALSE(is_wrong(timed(1)));
  Record record = timed(1);
  record.status = Status::kWrong;
  EXPECT_TRUE(is_wrong(record));
  record = timed(1);
  record.verify.wrong = 1;
  EXPECT_TRUE(is_wrong(record));
  record = timed(1);
  record.verify.verdict = "wrong";
  EXPECT_TRUE(is_wrong(record));
}

TEST(Cells, RanksOfAGroupCountThroughItsUnits) {
  const Fleet fleet = fleet_of({});
  EXPECT_EQ(unit_of_rank(fleet, {0, 2}, 1), 0);
  EXPECT_EQ(unit_of_rank(fleet, {0, 2}, 2), 2);
  EXPECT_EQ(unit_of_rank(fleet, {1, 2}, 2), 2);
  EXPECT_EQ(unit_of_rank(fleet, {0, 2}, 4), -1);
  EXPECT_EQ(unit_of_rank(fleet, {0, 2}, -1), -1);
}

TEST(Cells, TheCopyLimitOfAGroupIsItsSlowestUnits) {
  std::vector<GroupResult> results;
  for (const auto& [unit, copy] : {std::pair{0, 5.0}, {1, 10.0}, {0, 6.0}}) {
    results.push_back(result(Stage::kAlone, {unit}, {}));
    results.back().copy_limit_gbps = copy;
  }
  const Fleet fleet = fleet_of(results);
  const std::vector<MeasuredGroup> subjects = subjects_of(fleet);
  EXPECT_EQ(copy_limit_of(subjects, {0, 1}), 6);
  EXPECT_EQ(copy_limit_of(subjects, {1}), 10);
  EXPECT_EQ(copy_limit_of(subjects, {1, 2}), std::nullopt) << "one is not known";
}

TEST(Demands, ALimitCoversItsSizesRanksAndAlgorithm) {
  Limit limit;
  EXPECT_TRUE(covers(limit, kKey));
  limit.min_bytes = limit.max_bytes.emplace(kKey.bytes);
  EXPECT_TRUE(covers(limit, kKey)) << "both ends are within";
  limit.max_bytes = kKey.bytes - 1;
  limit.min_bytes = 0;
  EXPECT_FALSE(covers(limit, kKey));
  limit.max_bytes.reset();
  limit.min_bytes = kKey.bytes + 1;
  EXPECT_FALSE(covers(limit, kKey));
  limit = {};
  limit.ranks = 4;
  EXPECT_FALSE(covers(limit, kKey));
  limit.ranks = 2;
  EXPECT_TRUE(covers(limit, kKey));
  limit.algorithm = "ring";
  EXPECT_FALSE(covers(limit, kKey)) << "the fastest is another case";
}

TEST(Demands, TheStrictestOfSeveralHolds) {
  Profile profile;
  profile.limits.resize(3);
  profile.limits[0].max_time_of_fleet = 1.5;
  profile.limits[1].min_busbw_of_fleet = 0.8;  // 1.25 times the time
  profile.limits[2].max_time_of_fleet = 2;
  EXPECT_DOUBLE_EQ(*allowed_ratio(profile, Stage::kPairs, kKey), 1.25);

  profile.limits.assign(4, {});
  profile.limits[0].max_time_s = 2;
  profile.limits[1].max_time_s = 0.5;
  profile.limits[1].source = "a data sheet";
  profile.limits[2].max_time_s = 4;
  profile.limits[3].min_busbw_of_limit = 0.1;
  const Cell cell{1, 2.0, std::nullopt, "ring", 1};
  const auto demand = absolute_demand(profile, Stage::kPairs, kKey, cell, 10);
  ASSERT_TRUE(demand);
  EXPECT_DOUBLE_EQ(demand->badness, 2);
  EXPECT_EQ(demand->words, "at most 500 ms allowed");
  EXPECT_EQ(demand->source, "a data sheet");
  EXPECT_DOUBLE_EQ(absolute_demand(profile, Stage::kPairs, kKey, cell, 100)->badness, 5)
      << "a tenth of 100 GB/s beside 2";
}

TEST(DriftOf, ResultsAreTakenInTheOrderOfTheirStart) {
  std::vector<GroupResult> results;
  for (const int i : {7, 0, 3, 5, 1, 6, 2, 4}) {
    results.push_back(result(Stage::kSoak, {0, 1}, {timed(i < 4 ? 1 : 1.5)}));
    results.back().started_s = i;
  }
  const Fleet fleet = fleet_of(results);
  const std::vector<MeasuredGroup> subjects = subjects_of(fleet);
  const std::vector<Drift> drifts = drifts_of(subjects.at(0));
  ASSERT_EQ(drifts.size(), 1U);
  EXPECT_EQ(drifts[0].repeats, 8);
  EXPECT_NEAR(*drifts[0].share, 0.5, 1e-12);
}

}  // namespace
}  // namespace arb
