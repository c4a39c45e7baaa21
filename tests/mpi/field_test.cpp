// Nodes of a job as the units of an acceptance; the nodes are pretended.
#include "bench/accept/field.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/accept/course.hpp"
#include "bench/known_algorithms.hpp"
#include "collectives/error.hpp"
#include "tests/mpi/world_harness.hpp"

namespace arb {
namespace {

int ranks() { return world().size(); }

GroupTask task_of(const std::string& fault = "") {
  GroupTask task;
  task.backend = "mpi";
  task.options.algorithms = {"ring"};
  task.options.sizes = {8, 3000};
  task.options.iterations = 3;
  task.options.warmup = 1;
  task.limit_seconds = 120;
  if (!fault.empty()) task.fault = parse_fault(fault);
  return task;
}

struct Ground {
  explicit Ground(const std::vector<int>& node_of)
      : pretended(node_of), field(field_of_nodes(&world(), task_of(), system, never)) {}

  const PretendedNodes pretended;
  const System system = read_system();
  const std::atomic<bool> never{false};
  const std::unique_ptr<Field> field;
};

Round pairs_round(int units) {
  Round round{Stage::kPairs, 0, {}};
  for (int unit = 0; unit + 1 < units; unit += 2) round.groups.push_back({unit, unit + 1});
  return round;
}

TEST(NodesField, UnitsAreTheNodes) {
  const Ground ground(contiguous(ranks(), std::min(2, ranks())));
  EXPECT_EQ(ground.field->noun(), "node");
  EXPECT_EQ(ground.field->leads(), world().rank() == 0);
  const std::vector<Unit> units = ground.field->units();
  ASSERT_EQ(units.size(), static_cast<size_t>(std::min(2, ranks())));
  std::vector<int> all;
  for (const Unit& unit : units) all.insert(all.end(), unit.ranks.begin(), unit.ranks.end());
  EXPECT_EQ(all, host_locality(ranks()).near);
  EXPECT_NE(units.front().name, units.size() > 1 ? units.back().name : "") << "of one host";
}

TEST(NodesField, PairsAreMeasuredSideBySide) {
  const Ground ground(contiguous(ranks(), ranks()));
  const Round round = pairs_round(ranks());
  const std::vector<GroupResult> results = ground.field->measure(round, task_of());
  EXPECT_FALSE(ground.field->interrupted());
  if (world().rank() != 0) {
    EXPECT_TRUE(results.empty());
    return;
  }
  ASSERT_EQ(results.size(), round.groups.size());
  for (size_t g = 0; g < results.size(); ++g) {
    EXPECT_EQ(results[g].units, round.groups[g]);
    EXPECT_EQ(results[g].error, "");
    EXPECT_GT(results[g].seconds, 0);
    EXPECT_FALSE(results[g].copy_limit_gbps);
    ASSERT_EQ(results[g].records.size(), 2U);
    for (const Record& record : results[g].records) {
      EXPECT_EQ(record.backend, "mpi");
      EXPECT_EQ(record.ranks, 2);
      EXPECT_EQ(record.nodes, 2);
      EXPECT_EQ(record.status, Status::kOk) << record.reason;
      EXPECT_EQ(record.verify.verdict, "ok");
      EXPECT_GT(record.verify.checks, 0);
      EXPECT_EQ(record.time->n, 3);
    }
  }
}

TEST(NodesField, AloneIsEveryNodeWithItsMemory) {
  const Ground ground(contiguous(ranks(), std::min(2, ranks())));
  Round round{Stage::kAlone, 0, {}};
  const std::vector<Unit> units = ground.field->units();
  for (size_t unit = 0; unit < units.size(); ++unit)
    round.groups.push_back({static_cast<int>(unit)});
  GroupTask task = task_of();
  task.wants_copy_limit = true;
  const std::vector<GroupResult> results = ground.field->measure(round, task);
  if (world().rank() != 0) return;
  ASSERT_EQ(results.size(), units.size());
  for (size_t u = 0; u < units.size(); ++u) {
    EXPECT_GT(results[u].copy_limit_gbps.value_or(0), 0);
    ASSERT_EQ(results[u].records.size(), 2U);
    EXPECT_EQ(results[u].records[0].ranks, static_cast<int64_t>(units[u].ranks.size()));
    EXPECT_EQ(results[u].records[0].nodes, 1);
  }
}

// Ranks are dealt out in turn, so that those of a unit are not neighbours.
TEST(NodesField, RanksOfAGroupGoUnitByUnit) {
  if (ranks() < 4 || ranks() % 2 != 0) GTEST_SKIP() << "takes 4 or 6";
  const Ground ground(round_robin(ranks(), 2));
  const Round round{Stage::kAll, 0, {{0, 1}}};
  // Rank 1 is the first of the second node: after all of the first one.
  const std::vector<GroupResult> results = ground.field->measure(round, task_of("flip-bit:rank=1"));
  if (world().rank() != 0) return;
  ASSERT_EQ(results.size(), 1U);
  for (const Record& record : results[0].records) {
    EXPECT_EQ(record.status, Status::kWrong);
    EXPECT_EQ(record.verify.rank, ranks() / 2);
  }
}

TEST(NodesField, AFaultIsInTheGroupThatHasTheRank) {
  if (ranks() < 4) GTEST_SKIP() << "takes four";
  const Ground ground(contiguous(ranks(), ranks()));
  const Round round = pairs_round(ranks());
  const std::vector<GroupResult> results = ground.field->measure(round, task_of("flip-bit:rank=3"));
  if (world().rank() != 0) return;
  for (const GroupResult& result : results) {
    const bool mine = result.units == std::vector<int>{2, 3};
    for (const Record& record : result.records) {
      EXPECT_EQ(record.status == Status::kWrong, mine);
      EXPECT_EQ(record.verify.rank.value_or(kNone), mine ? 1 : kNone);
    }
  }
}

TEST(NodesField, AnErrorThatAllOfAGroupFindIsItsResult) {
  if (ranks() < 2) GTEST_SKIP() << "takes two";
  const Ground ground(contiguous(ranks(), 2));
  GroupTask task = task_of();
  task.options.path = "shm";
  const std::vector<GroupResult> results =
      ground.field->measure({Stage::kPairs, 0, {{0, 1}}}, task);
  if (world().rank() != 0) return;
  ASSERT_EQ(results.size(), 1U);
  EXPECT_NE(results[0].error.find("share no memory"), std::string::npos) << results[0].error;
  EXPECT_TRUE(results[0].records.empty());
}

TEST(NodesField, OneSignalEndsItForAll) {
  if (ranks() < 2) GTEST_SKIP() << "takes two";
  const PretendedNodes pretended(contiguous(ranks(), ranks()));
  const System system = read_system();
  const std::atomic<bool> told{world().rank() == ranks() - 1};
  const auto field = field_of_nodes(&world(), task_of(), system, told);
  Fleet fleet;
  Leg leg;
  leg.stage = Stage::kPairs;
  leg.task = task_of();
  run_course(*field, {leg}, {}, fleet);
  EXPECT_FALSE(fleet.complete);
  EXPECT_TRUE(field->interrupted());
  EXPECT_TRUE(same_everywhere("all ended"));
}

TEST(NodesField, AWholeCourse) {
  if (ranks() < 3) GTEST_SKIP() << "takes three";
  const Ground ground(contiguous(ranks(), ranks()));
  std::vector<Leg> legs;
  for (const Stage stage : {Stage::kPairs, Stage::kGroups, Stage::kAll, Stage::kSoak}) {
    Leg& leg = legs.emplace_back();
    leg.stage = stage;
    leg.task = task_of();
    leg.task.options.sizes = {8};
    if (stage == Stage::kSoak) leg.soak_seconds = 0.01;
  }
  int asked = 0;
  CourseEvents events;  // only the leader is asked
  events.suspects = [&](Stage stage, const Fleet&) -> std::vector<std::vector<int>> {
    if (stage != Stage::kPairs || asked++ > 0) return {};
    return {{0, 1}, {0, 2}};
  };
  Fleet fleet;
  run_course(*ground.field, legs, events, fleet);
  EXPECT_TRUE(fleet.complete);
  if (world().rank() != 0) return;
  const auto pairs = std::count_if(fleet.results.begin(), fleet.results.end(),
                                   [](const auto& r) { return r.stage == Stage::kPairs; });
  EXPECT_EQ(pairs, ranks() * (ranks() - 1) / 2 + 2);
  for (const GroupResult& result : fleet.results) {
    ASSERT_EQ(result.records.size(), 1U) << name(result.stage);
    EXPECT_EQ(result.records[0].ranks, static_cast<int64_t>(result.units.size()));
  }
}

}  // namespace
}  // namespace arb
