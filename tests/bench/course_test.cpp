// The stages of an acceptance, on a field that measures nothing.
#include "bench/accept/course.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace arb {
namespace {

using Groups = std::vector<std::vector<int>>;

class FakeField final : public Field {
 public:
  explicit FakeField(int units) {
    for (int i = 0; i < units; ++i) units_.push_back({"n" + std::to_string(i), {i}});
  }

  bool leads() const override { return true; }
  std::string noun() const override { return "node"; }
  std::vector<Unit> units() const override { return units_; }
  std::string follow(const std::string& of_leader) override { return of_leader; }
  bool interrupted() const override { return rounds.size() == interrupted_after; }

  std::vector<GroupResult> measure(const Round& round, const GroupTask&) override {
    rounds.push_back(round);
    std::vector<GroupResult> results;
    for (const std::vector<int>& group : round.groups) {
      GroupResult& result = results.emplace_back();
      result.stage = round.stage;
      result.round = round.number;
      result.units = group;
    }
    return results;
  }

  std::vector<Round> rounds;
  size_t interrupted_after = SIZE_MAX;

 private:
  std::vector<Unit> units_;
};

Leg leg_of(Stage stage, double soak_seconds = 0) {
  Leg leg;
  leg.stage = stage;
  leg.soak_seconds = soak_seconds;
  return leg;
}

std::vector<Leg> all_legs() {
  return {leg_of(Stage::kAlone), leg_of(Stage::kPairs), leg_of(Stage::kGroups), leg_of(Stage::kAll),
          leg_of(Stage::kSoak, 1e-9)};
}

std::vector<std::string> stages_of(const FakeField& field) {
  std::vector<std::string> stages;
  for (const Round& round : field.rounds) stages.emplace_back(name(round.stage));
  return stages;
}

TEST(Course, SixUnitsGoThroughAllStages) {
  FakeField field(6);
  Fleet fleet;
  run_course(field, all_legs(), {}, fleet);
  EXPECT_EQ(stages_of(field), (std::vector<std::string>{"alone", "pairs", "pairs", "pairs", "pairs",
                                                        "pairs", "groups", "all", "soak"}));
  EXPECT_EQ(field.rounds[0].groups, (Groups{{0}, {1}, {2}, {3}, {4}, {5}}));
  std::set<std::vector<int>> pairs;
  for (size_t r = 1; r <= 5; ++r) {
    EXPECT_EQ(field.rounds[r].number, static_cast<int64_t>(r - 1));
    std::set<int> busy;
    for (const std::vector<int>& pair : field.rounds[r].groups) {
      EXPECT_TRUE(pairs.insert(pair).second) << "met before";
      for (const int unit : pair) EXPECT_TRUE(busy.insert(unit).second) << "in two places at once";
    }
    EXPECT_EQ(busy.size(), 6U);
  }
  EXPECT_EQ(field.rounds[6].groups, (Groups{{0, 1, 2, 3}})) << "groups of two were the pairs";
  EXPECT_EQ(field.rounds[7].groups, (Groups{{0, 1, 2, 3, 4, 5}}));
  EXPECT_TRUE(fleet.complete);
  EXPECT_TRUE(fleet.skipped.empty());
  EXPECT_EQ(fleet.noun, "node");
  EXPECT_EQ(fleet.units.size(), 6U);
  EXPECT_EQ(fleet.results.size(), 6U + 15 + 1 + 1 + 1);
}

TEST(Course, GroupsOfTwoAreForWhoDidNotMeetInPairs) {
  FakeField field(3);
  Fleet fleet;
  run_course(field, {leg_of(Stage::kGroups)}, {}, fleet);
  ASSERT_EQ(field.rounds.size(), 1U);
  EXPECT_EQ(field.rounds[0].groups, (Groups{{0, 1}}));
}

TEST(Course, WhatMakesNoSenseForFewUnitsIsSkipped) {
  const std::map<int, std::vector<Stage>> skipped{
      {1, {Stage::kPairs, Stage::kGroups, Stage::kAll, Stage::kSoak}},
      {2, {Stage::kGroups}},
      {3, {Stage::kGroups}}};
  for (const auto& [units, expected] : skipped) {
    FakeField field(units);
    Fleet fleet;
    run_course(field, all_legs(), {}, fleet);
    EXPECT_EQ(fleet.skipped, expected) << units;
    EXPECT_TRUE(fleet.complete);
  }
}

TEST(Course, ALimitOfRoundsHolds) {
  FakeField field(8);
  Fleet fleet;
  Leg leg = leg_of(Stage::kPairs);
  leg.rounds = 3;
  run_course(field, {leg}, {}, fleet);
  EXPECT_EQ(field.rounds.size(), 3U);
}

TEST(Course, SuspectsAreMeasuredAgainInRoundsWithoutOverlap) {
  FakeField field(4);
  Fleet fleet;
  CourseEvents events;
  events.suspects = [](Stage stage, const Fleet& so_far) -> Groups {
    const bool again = std::any_of(so_far.results.begin(), so_far.results.end(),
                                   [](const GroupResult& r) { return r.round >= 3; });
    if (stage != Stage::kPairs || again) return {};
    return {{0, 1}, {0, 2}, {1, 3}};
  };
  run_course(field, {leg_of(Stage::kPairs), leg_of(Stage::kAll)}, events, fleet);
  ASSERT_EQ(field.rounds.size(), 3U + 2 + 1);
  EXPECT_EQ(field.rounds[3].groups, (Groups{{0, 1}}));
  EXPECT_EQ(field.rounds[4].groups, (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(field.rounds[3].number, 3);
  EXPECT_EQ(field.rounds[4].number, 4);
}

TEST(Course, SuspectsThatNeverEndAreLeftAlone) {
  FakeField field(2);
  Fleet fleet;
  CourseEvents events;
  events.suspects = [](Stage, const Fleet&) -> Groups { return {{0, 1}}; };
  run_course(field, {leg_of(Stage::kPairs)}, events, fleet);
  EXPECT_LE(field.rounds.size(), 5U);
  EXPECT_GE(field.rounds.size(), 3U);
  EXPECT_TRUE(fleet.complete);
}

TEST(Course, RoundsHaveNoOverlapAndAnEnd) {
  Groups groups;
  for (int other = 1; other < 10; ++other) groups.push_back({0, other});
  const std::vector<Round> rounds = rounds_of(Stage::kPairs, 7, groups, 4);
  ASSERT_EQ(rounds.size(), 4U);
  for (size_t r = 0; r < rounds.size(); ++r) {
    EXPECT_EQ(rounds[r].groups.size(), 1U);
    EXPECT_EQ(rounds[r].number, static_cast<int64_t>(7 + r));
  }
}

TEST(Course, AnInterruptEndsItAndKeepsWhatWasDone) {
  for (const size_t after : {size_t{1}, size_t{3}, size_t{7}}) {
    FakeField field(6);
    field.interrupted_after = after;
    Fleet fleet;
    int ended = 0;
    CourseEvents events;
    events.end = [&] { ++ended; };
    run_course(field, all_legs(), events, fleet);
    EXPECT_FALSE(fleet.complete);
    EXPECT_EQ(field.rounds.size(), after);
    EXPECT_FALSE(fleet.results.empty());
    EXPECT_EQ(ended, after == 1 ? 0 : after == 3 ? 1 : 2) << "stages that were done";
  }
}

TEST(Course, ASoakRepeatsUntilItsTimeIsOver) {
  FakeField field(3);
  Fleet fleet;
  run_course(field, {leg_of(Stage::kSoak, 0.02)}, {}, fleet);
  ASSERT_GE(field.rounds.size(), 2U);
  for (size_t r = 0; r < field.rounds.size(); ++r) {
    EXPECT_EQ(field.rounds[r].number, static_cast<int64_t>(r));
    EXPECT_EQ(field.rounds[r].groups, (Groups{{0, 1, 2}}));
  }
}

TEST(Course, ResultsKnowWhenTheyBegan) {
  FakeField field(6);
  Fleet fleet;
  run_course(field, all_legs(), {}, fleet);
  for (size_t i = 1; i < fleet.results.size(); ++i) {
    EXPECT_GE(fleet.results[i].started_s, fleet.results[i - 1].started_s);
  }
  EXPECT_GT(fleet.results.back().started_s, fleet.results.front().started_s);
}

TEST(Groups, AreNamedWithTheirRound) {
  const std::vector<Unit> units{{"n0", {0, 1}}, {"n1", {2, 3}}, {"n2", {4}},
                                {"n3", {5}},    {"n4", {6}},    {"n5", {7}}};
  const Round round{Stage::kPairs, 1, {}};
  EXPECT_EQ(describe(round, {0, 2}, units), "pairs, round 2: n0 with n2");
  EXPECT_EQ(describe(round, {3}, units), "pairs, round 2: n3");
  EXPECT_EQ(describe(round, {0, 1, 2, 3, 4, 5}, units),
            "pairs, round 2: n0, n1, n2, n3 and 2 more");
  EXPECT_EQ(in_group(round, {1, 2}, units),
            "pairs, round 2: n1 with n2 (ranks 0-1: n1, rank 2: n2): ");
  EXPECT_EQ(ranks_of({1, 2}, units), (std::vector<int>{2, 3, 4}));
}

TEST(Faults, OfARankAreInTheGroupsThatHaveIt) {
  const Fault flip = parse_fault("flip-bit:rank=5");
  EXPECT_EQ(fault_within(flip, {0, 1}).kind, FaultKind::kNothing);
  EXPECT_EQ(fault_within(flip, {3, 5}).kind, FaultKind::kFlipBit);
  EXPECT_EQ(fault_within(flip, {3, 5}).rank, 1);
  const Fault delay = parse_fault("delay:rank=5,seconds=0.5,every=3");
  EXPECT_EQ(fault_within(delay, {5, 9}).rank, 0);
  EXPECT_EQ(fault_within(delay, {5, 9}).seconds, 0.5);
  EXPECT_EQ(fault_within(delay, {5, 9}).iteration, 3);
  EXPECT_EQ(fault_within(parse_fault("stale"), {3, 4}).kind, FaultKind::kStale) << "of no rank";
  EXPECT_EQ(fault_within({}, {0, 1}).kind, FaultKind::kNothing);
}

}  // namespace
}  // namespace arb
