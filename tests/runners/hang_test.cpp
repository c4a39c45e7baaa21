// A rank that stops is named with its place; a rank that is late is the straggler.
#include <gtest/gtest.h>

#include <atomic>

#include "collectives/error.hpp"
#include "tests/runners/harness.hpp"

namespace arb {
namespace {

TEST(Hang, TheReportNamesEveryRankItsLaneStepAndWhatItWaitsFor) {
  for (const Named& named : every_algorithm()) {
    if (named.collective != Collective::kAllReduce) continue;
    Team team(2, {});
    team.set_fault({.stall_rank = 1, .stall_from = 2});
    team.set_deadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(200));
    const Shape shape{named.collective, 3, 0, 1000, Dtype::kFloat32, Op::kSum};
    SlotConfig config;
    config.slot_bytes = 512;
    const Prepared prepared = make(named.algorithm, shape, false, config);
    const CaseBuffers buffers(shape, {});
    std::vector<Execution> executions;
    for (long i = 0; i < 5; ++i) {
      executions.push_back({prepared.operation.get(), buffers.set(0), 3, 1, i});
    }
    try {
      team.run(executions);
      FAIL() << named.algorithm << " did not hang";
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_EQ(error.kind(), ErrorKind::kTimeLimit);
      EXPECT_NE(text.find("iteration 2"), std::string::npos) << text;
      EXPECT_NE(text.find("rank 1: takes no part"), std::string::npos) << text;
      EXPECT_NE(text.find("rank 0: "), std::string::npos) << text;
      EXPECT_NE(text.find("rank 2: "), std::string::npos) << text;
      EXPECT_NE(text.find("rank 1"), text.rfind("rank 1")) << "somebody waits for rank 1: " << text;
      if (find_native(named.collective, named.algorithm) == nullptr) {
        EXPECT_NE(text.find("step "), std::string::npos) << text;
        EXPECT_NE(text.find("lane "), std::string::npos) << text;
        EXPECT_NE(text.find("tile "), std::string::npos) << text;
      }
    }
  }
}

TEST(Hang, TheRankThatTheOthersWaitedForIsTheStraggler) {
  Team team(3, {});
  team.set_fault({.delay_rank = 1, .delay_every = 1, .delay_seconds = 0.05});
  const Shape shape{Collective::kAllReduce, 3, 0, 300, Dtype::kFloat32, Op::kSum};
  SlotConfig config;
  config.slot_bytes = 4096;
  const Prepared prepared = make("ring", shape, false, config);
  const CaseBuffers buffers(shape, {});
  const std::vector<Execution> executions(8, {prepared.operation.get(), buffers.set(0), 3, 1, 0});
  int named = 0;
  for (const Sample& sample : team.run(executions)) {
    if (sample.straggler == 1) ++named;
  }
  EXPECT_GE(named, 4) << "of 8";
}

TEST(Hang, AnInterruptEndsTheBatchAfterTheExecutionInWork) {
  Team team(2, {});
  std::atomic<bool> interrupted{false};
  team.set_interrupt(&interrupted);
  const Shape shape{Collective::kAllReduce, 2, 0, 300, Dtype::kFloat32, Op::kSum};
  SlotConfig config;
  config.slot_bytes = 4096;
  const Prepared prepared = make("ring", shape, false, config);
  const CaseBuffers buffers(shape, {});
  int begun = 0;
  const std::function<void(int)> prepare = [&](int worker) {
    if (worker == 0 && ++begun == 3) interrupted = true;
  };
  Execution execution{prepared.operation.get(), buffers.set(0), 2};
  execution.prepare = &prepare;
  EXPECT_THROW(team.run(std::vector<Execution>(1000, execution)), Error);
  EXPECT_EQ(begun, 3);
  interrupted = false;
  begun = 100;
  EXPECT_EQ(team.run(std::vector<Execution>(5, execution)).size(), 5u);  // still of use
}

TEST(Hang, AnExceptionInAWorkerReachesTheCaller) {
  Team team(2, {});
  EXPECT_THROW(team.on_all([](int worker) {
    if (worker == 1) throw Error(ErrorKind::kInternal, "boom");
  }),
               Error);
}

}  // namespace
}  // namespace arb
