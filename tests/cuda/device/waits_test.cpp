// Every wait ends, and says where the block stood.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "job.hpp"

namespace arb {
namespace {

Shape shape_of(int ranks) {
  Shape shape;
  shape.ranks = ranks;
  shape.count = 400;
  return shape;
}

class Waits : public ::testing::TestWithParam<Protocol> {
 protected:
  static JobConfig config() {
    JobConfig config;
    config.protocol = GetParam();
    return config;
  }
};

TEST_P(Waits, AStalledRankIsMissedAtTheLimitOfPolls) {
  Job job("ring", shape_of(3), config());
  DeviceControl control;
  control.stall_rank = 1;
  control.most_polls = 300;
  job.run(control);
  EXPECT_EQ(job.reports()[1].awaited, Awaited::kStart);
  EXPECT_EQ(job.reports()[1].rank, 1);
  EXPECT_EQ(job.reports()[2].awaited, Awaited::kData);  // 1 sends to 2
  EXPECT_EQ(job.reports()[2].peer, 1);
  EXPECT_EQ(job.reports()[2].rank, 2);
  EXPECT_EQ(job.reports()[2].tile, 0U);
  EXPECT_EQ(job.reports()[2].step, 1);
  const DeviceReport& before = job.reports()[0];  // sends to 1: no slot, or no data from 2
  EXPECT_TRUE(before.awaited == Awaited::kSlot || before.awaited == Awaited::kData);
  EXPECT_EQ(before.peer, before.awaited == Awaited::kSlot ? 1 : 2);
}

TEST_P(Waits, WithoutALimitTheAbortWordEndsThem) {
  Job job("ring", shape_of(3), config());
  uint32_t abort = 0;
  DeviceControl control;
  control.abort = &abort;
  control.stall_rank = 0;
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    __atomic_store_n(&abort, 1U, __ATOMIC_RELAXED);
  });
  job.run(control);
  host.join();
  EXPECT_EQ(job.reports()[0].awaited, Awaited::kStart);
  EXPECT_EQ(job.reports()[1].awaited, Awaited::kData);
  EXPECT_NE(job.reports()[2].awaited, Awaited::kNothing);
}

TEST_P(Waits, AnEventOfAStalledLane) {
  // The second lane of a rank waits for the first, which waits for a rank that stalls.
  Schedule schedule(2, 1);
  for (int rank = 0; rank < 2; ++rank) {
    auto& lanes = schedule.lanes[static_cast<size_t>(rank)];
    lanes.resize(2);
    Step exchange;
    exchange.send_to = 1 - rank;
    exchange.local = input(0);
    Step take;
    take.recv_from = 1 - rank;
    take.local = input(0);
    take.store = output(0);
    take.marks = 0;
    lanes[0] = {"exchange", 0, {exchange, take}};
    Step copy;
    copy.after = 0;
    copy.local = output(0);
    copy.store = scratch(0);
    lanes[1] = {"copy", 0, {copy}};
  }
  Shape shape = shape_of(2);
  shape.count = 10;  // one tile
  Job job(schedule, shape, config());
  ASSERT_EQ(job.run_checked(1), "");
  ASSERT_EQ(job.run_checked(2), "");
  DeviceControl control;
  control.stall_rank = 1;
  control.most_polls = 300;
  job.run(control);
  EXPECT_EQ(job.reports()[0].awaited, Awaited::kData);
  EXPECT_EQ(job.reports()[1].awaited, Awaited::kEvent);
  EXPECT_EQ(job.reports()[1].lane, 1);
}

TEST_P(Waits, ASlotThatIsNeverGivenBack) {
  // Rank 0 only sends; rank 1 stalls.
  Shape shape = shape_of(2);
  shape.collective = Collective::kBroadcast;
  JobConfig small = config();
  small.slots = 2;
  Job job("naive-root", shape, small);
  DeviceControl control;
  control.stall_rank = 1;
  control.most_polls = 300;
  job.run(control);
  EXPECT_EQ(job.reports()[0].awaited, Awaited::kSlot);
  EXPECT_EQ(job.reports()[0].peer, 1);
  EXPECT_EQ(job.reports()[0].tile, 2U);
}

INSTANTIATE_TEST_SUITE_P(Both, Waits, ::testing::Values(Protocol::kSimple, Protocol::kLl),
                         [](const auto& each) {
                           return each.param == Protocol::kLl ? "ll" : "simple";
                         });

}  // namespace
}  // namespace arb
