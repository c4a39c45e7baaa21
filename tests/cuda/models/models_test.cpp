// Every order of every step: right protocols never read what they should not and never wait for
// ever; each fault is found.
#include <gtest/gtest.h>

#include "tests/cuda/models/protocols.hpp"

namespace arb::model {
namespace {

Exploration run(const Protocol& protocol) { return explore(protocol.threads, protocol.memory); }

void expect_right(const Protocol& protocol, size_t at_least_states) {
  const Exploration found = run(protocol);
  EXPECT_EQ(found.fault, "");
  EXPECT_GE(found.states, at_least_states);
  testing::Test::RecordProperty("states", std::to_string(found.states));
}

TEST(Explorer, SeesStoresOvertakeEachOtherAndReleasesNot) {
  const auto pass = [](Instruction flag) {
    return std::vector<Thread>{{"writer", 0, {store(0, 7), flag}},
                               {"reader", 1, {await(1, 1, Compare::kEqual), expect(0, 7)}}};
  };
  EXPECT_EQ(explore(pass(release(1, 1)), {0, 0}).fault, "");
  EXPECT_NE(explore(pass(store(1, 1)), {0, 0}).fault.find("reads 0 from word 0"),
            std::string::npos);
}

TEST(Explorer, AReleaseCoversOtherThreadsOnlyAfterABarrier) {
  const auto pass = [](bool meet) {
    std::vector<Thread> threads{{"helper", 0, {store(0, 7)}},
                                {"writer", 0, {}},
                                {"reader", 1, {await(1, 1, Compare::kEqual), expect(0, 7)}}};
    if (meet) {
      threads[0].program.push_back(barrier());
      threads[1].program.push_back(barrier());
    }
    threads[1].program.push_back(release(1, 1));
    return threads;
  };
  EXPECT_EQ(explore(pass(true), {0, 0}).fault, "");
  EXPECT_NE(explore(pass(false), {0, 0}).fault, "");
}

TEST(Explorer, FindsWhoWaitsForEver) {
  const Exploration found = explore({{"waiter", 0, {await(0, 1, Compare::kEqual)}}}, {0});
  EXPECT_TRUE(found.deadlock);
  EXPECT_NE(found.fault.find("waiter waits for ever"), std::string::npos);
}

TEST(SlotRing, IsRightInEveryOrder) {
  for (int slots = 1; slots <= 3; ++slots) expect_right(slot_ring(slots, 5, {}), 100);
}

TEST(SlotRing, NeedsReleaseCreditAndBarriers) {
  RingFaults faults;
  faults.relaxed_publish = true;
  EXPECT_NE(run(slot_ring(2, 4, faults)).fault, "");
  faults = {};
  faults.no_credit = true;
  EXPECT_NE(run(slot_ring(2, 4, faults)).fault, "");
  faults = {};
  faults.no_barrier_before = true;
  EXPECT_NE(run(slot_ring(2, 4, faults)).fault, "");
  faults = {};
  faults.early_credit = true;
  EXPECT_NE(run(slot_ring(2, 4, faults)).fault, "");
}

TEST(LineRing, IsRightInEveryOrderAlsoWhenFlagsWrap) {
  for (int slots = 1; slots <= 3; ++slots) {
    expect_right(line_ring(slots, 5, 0, {}), 100);
    expect_right(line_ring(slots, 5, 252, {}), 100);
  }
}

TEST(LineRing, NeedsCreditAndTheBarrierBeforeIt) {
  RingFaults faults;
  faults.no_credit = true;
  EXPECT_NE(run(line_ring(2, 4, 0, faults)).fault, "");
  faults = {};
  faults.early_credit = true;
  EXPECT_NE(run(line_ring(2, 4, 0, faults)).fault, "");
}

TEST(LineEpochs, AreRightInEveryOrderAlsoWhenFlagsWrap) {
  expect_right(line_epochs(2, 5, 0, {}), 100);
  expect_right(line_epochs(2, 5, 252, {}), 100);
  expect_right(line_epochs(3, 4, 253, {}), 10000);
}

TEST(LineEpochs, NeedTwoHalvesNewEpochsAndAllRanks) {
  EpochFaults faults;
  faults.one_half = true;
  EXPECT_NE(run(line_epochs(2, 4, 0, faults)).fault, "");
  faults = {};
  faults.same_epoch = true;
  EXPECT_NE(run(line_epochs(2, 4, 0, faults)).fault, "");
  faults = {};
  faults.no_wait_own = true;
  EXPECT_NE(run(line_epochs(3, 4, 0, faults)).fault, "");
}

TEST(BarrierEpochs, AreRightInEveryOrderAlsoWhenTheyWrap) {
  expect_right(barrier_epochs(2, 3, 0, {}), 100);
  expect_right(barrier_epochs(2, 3, 254, {}), 100);
  expect_right(barrier_epochs(3, 2, 254, {}), 1000);
}

TEST(BarrierEpochs, NeedReleaseExitNewEpochsAndAComparisonThatWraps) {
  BarrierFaults faults;
  faults.relaxed_arrival = true;
  EXPECT_NE(run(barrier_epochs(2, 2, 0, faults)).fault, "");
  faults = {};
  faults.no_exit = true;
  EXPECT_NE(run(barrier_epochs(2, 2, 0, faults)).fault, "");
  faults = {};
  faults.same_epoch = true;
  EXPECT_NE(run(barrier_epochs(2, 2, 0, faults)).fault, "");
  faults = {};
  faults.compare = Compare::kAtLeast;
  EXPECT_NE(run(barrier_epochs(2, 3, 254, faults)).fault, "");
  EXPECT_EQ(run(barrier_epochs(2, 3, 0, faults)).fault, "");  // before the wrap nobody sees it
}

}  // namespace
}  // namespace arb::model
