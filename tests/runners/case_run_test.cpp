// A whole case: checks, warm-up, samples, faults.
#include "bench/measure/case_run.hpp"

#include <gtest/gtest.h>

#include "tests/runners/harness.hpp"

namespace arb {
namespace {

struct Plan {
  Shape shape{Collective::kAllReduce, 2, 0, 1000, Dtype::kFloat32, Op::kSum};
  bool in_place = false;
  CaseSettings settings;
  std::vector<std::string> algorithms{"ring", "two-shot"};
};

std::vector<CaseResult> run(const Plan& plan, Team& team) {
  std::vector<Prepared> prepared;
  SlotConfig config;
  config.slot_bytes = 4096;
  for (const std::string& algorithm : plan.algorithms) {
    prepared.push_back(make(algorithm, plan.shape, plan.in_place, config));
  }
  const CaseBuffers buffers(plan.shape, {plan.in_place, 0, 0});
  CaseRun run(team, plan.shape, plan.in_place, buffers, std::move(prepared), plan.settings);
  if (plan.settings.checks > 0) run.check();
  run.measure();
  std::vector<CaseResult> results;
  for (size_t i = 0; i < plan.algorithms.size(); ++i) results.push_back(run.result(i));
  return results;
}

TEST(CaseRun, TakesExactlyTheSamplesAskedFor) {
  Plan plan;
  plan.settings.iterations = 37;
  plan.settings.warmup = 3;
  plan.settings.raw = true;
  for (const CaseResult& result : run(plan, shared_team())) {
    ASSERT_TRUE(result.time);
    EXPECT_EQ(result.time->n, 37);
    EXPECT_EQ(result.time->samples.size(), 37u);
    EXPECT_LE(result.time->min, result.time->median);
    EXPECT_LE(result.time->median, result.time->max);
    EXPECT_TRUE(result.time->ci95);
    EXPECT_FALSE(result.time->p99);
    EXPECT_EQ(result.verify.verdict, "ok");
    EXPECT_GE(result.verify.timed_checks, 1);
    EXPECT_GE(result.verify.checks, 2 + result.verify.timed_checks);
  }
}

TEST(CaseRun, WithoutChecksNothingIsCalledCorrect) {
  Plan plan;
  plan.settings.iterations = 10;
  plan.settings.checks = 0;
  for (const CaseResult& result : run(plan, shared_team())) {
    EXPECT_EQ(result.verify.verdict, "not checked");
    EXPECT_EQ(result.verify.checks, 0);
  }
}

TEST(CaseRun, EveryDataFaultIsCaught) {
  for (const std::string& text : fault_names()) {
    if (text == "stall" || text == "delay" || text == "slow") continue;  // not of the data
    const Fault fault = parse_fault(text);
    for (const bool in_place : {false, true}) {
      if (in_place && fault.kind == FaultKind::kChangeInput) continue;  // there is no input left
      Plan plan;
      plan.in_place = in_place;
      plan.settings.iterations = 10;
      plan.settings.fault = fault;
      for (const CaseResult& result : run(plan, shared_team())) {
        EXPECT_EQ(result.verify.verdict, "wrong") << text;
        EXPECT_GT(result.verify.wrong, 0) << text;
        EXPECT_FALSE(result.verify.check.empty()) << text;
      }
    }
  }
}

TEST(CaseRun, TheMedianDoesNotMoveButTheTailShowsARankThatIsSometimesLate) {
  Team team(2, {});
  // Long enough to outweigh a rank that loses its core to somebody else for a time slice or two.
  constexpr double kDelay = 0.03;
  team.set_fault({.delay_rank = 1, .delay_every = 50, .delay_seconds = kDelay});
  Plan plan;
  plan.algorithms = {"ring"};
  plan.settings.iterations = 200;
  const CaseResult result = run(plan, team).front();
  ASSERT_TRUE(result.time && result.time->p99);
  EXPECT_LT(result.time->median, kDelay);
  EXPECT_GE(result.time->max, kDelay / 2);
  EXPECT_GE(*result.time->p99, kDelay / 2);
  EXPECT_EQ(result.straggler, 1);
}

TEST(CaseRun, ColdBuffersAreRotatedAndStillChecked) {
  Plan plan;
  plan.settings.iterations = 50;
  std::vector<Prepared> prepared;
  SlotConfig config;
  config.slot_bytes = 4096;
  prepared.push_back(make("ring", plan.shape, false, config));
  const CaseBuffers buffers(plan.shape, {false, 0, size_t{1} << 20});
  EXPECT_GT(buffers.sets() * plan.shape.bytes() * 4, size_t{1} << 20);
  CaseRun run(shared_team(), plan.shape, false, buffers, std::move(prepared), plan.settings);
  run.check();
  run.measure();
  EXPECT_EQ(run.result(0).verify.verdict, "ok");
  EXPECT_EQ(run.result(0).time->n, 50);
}

TEST(CaseRun, ProgressMayEndACase) {
  Plan plan;
  std::vector<Prepared> prepared;
  SlotConfig config;
  config.slot_bytes = 4096;
  prepared.push_back(make("ring", plan.shape, false, config));
  const CaseBuffers buffers(plan.shape, {});
  CaseRun run(shared_team(), plan.shape, false, buffers, std::move(prepared), plan.settings);
  run.on_progress([](double) { throw std::runtime_error("enough"); });
  EXPECT_THROW(run.check(), std::runtime_error);
  EXPECT_FALSE(run.result(0).time);
}

TEST(CaseBuffers, GuardsSeeAWriteOnEitherSideOfEveryRealPart) {
  for (const Collective collective : kCollectives) {
    for (const bool in_place : {false, true}) {
      const Shape shape{collective, 3, 1, 300, Dtype::kFloat32, Op::kSum};
      const CaseBuffers buffers(shape, {in_place, 1, 0});
      for (int rank = 0; rank < 3; ++rank) {
        buffers.set_guards(0, rank);
        EXPECT_FALSE(buffers.check_guards(0, rank).changed);
        const Range out = real_output(shape, rank);
        if (out.size == 0) continue;
        std::byte* end = buffers.set(0)[rank].output + (out.begin + out.size) * 4;
        // In place the guards lie around the larger part, the input of a reduce-scatter.
        if (in_place && out.size < shape.count) end = buffers.set(0)[rank].output + shape.bytes();
        end[0] ^= std::byte{1};
        const auto found = buffers.check_guards(0, rank);
        EXPECT_TRUE(found.changed);
        EXPECT_FALSE(found.before);
        EXPECT_EQ(found.offset, 0);
      }
    }
  }
}

}  // namespace
}  // namespace arb
