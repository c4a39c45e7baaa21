#include <gtest/gtest.h>

#include "collectives/error.hpp"
#include "collectives/schedule/lane_builder.hpp"

namespace arb {
namespace {

TEST(LaneBuilder, NamesTheNineVerbs) {
  Schedule schedule(4, 4);
  LaneBuilder(schedule, 1)
      .send(input(0), 2)
      .recv(output(0), 0)
      .copy(input(1), output(1))
      .copy_send(input(2), output(2), 2)
      .recv_send(0, 2)
      .recv_store_send(output(3), 0, 2)
      .recv_reduce(input(0), output(0), 0)
      .recv_reduce_send(input(0), 0, 2)
      .recv_reduce_store_send(input(0), output(0), 0, 2);
  const char* names[] = {"send",
                         "recv",
                         "copy",
                         "copy_send",
                         "recv_send",
                         "recv_store_send",
                         "recv_reduce",
                         "recv_reduce_send",
                         "recv_reduce_store_send"};
  const auto& steps = schedule.lanes[1][0].steps;
  ASSERT_EQ(steps.size(), std::size(names));
  for (size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(verb(steps[i]), names[i]);
}

TEST(LaneBuilder, OnlyTheNineCombinationsAreLegal) {
  int legal = 0;
  for (int bits = 0; bits < 16; ++bits) {
    Step step;
    if (bits & 8) step.recv_from = 0;
    if (bits & 4) step.local = input(0);
    if (bits & 2) step.store = output(0);
    if (bits & 1) step.send_to = 1;
    legal += verb(step) != "illegal";
  }
  EXPECT_EQ(legal, 9);
}

TEST(LaneBuilder, AfterHoldsTheNextStepAndMarkTheLast) {
  Schedule schedule(2, 1);
  LaneBuilder lane(schedule, 0, "up", 3);
  lane.copy(input(0), output(0)).mark(5).after(6).send(output(0), 1);
  const Lane& built = schedule.lanes[0][0];
  EXPECT_EQ(built.name, "up");
  EXPECT_EQ(built.channel, 3);
  EXPECT_EQ(built.steps[0].after, kNone);
  EXPECT_EQ(built.steps[0].marks, 5);
  EXPECT_EQ(built.steps[1].after, 6);
  EXPECT_EQ(built.steps[1].marks, kNone);
}

TEST(LaneBuilder, RefusesEventsThatAStepCannotHold) {
  Schedule schedule(2, 1);
  LaneBuilder lane(schedule, 0);
  EXPECT_THROW(lane.mark(0), Error);
  lane.after(1);
  EXPECT_THROW(lane.after(2), Error);
  lane.copy(input(0), output(0)).mark(3);
  EXPECT_THROW(lane.mark(4), Error);
}

TEST(Describe, NamesRankLaneStepAndArguments) {
  Schedule schedule(4, 8);
  LaneBuilder(schedule, 2, "tree A up")
      .recv_reduce_send(input(2), 1, 3)
      .copy(input(0, 4), output(0, 4));
  EXPECT_EQ(describe(schedule, 2, 0, 0),
            "rank 2, lane 0 (tree A up), step 0: recv_reduce_send(from 1, input[2], to 3)");
  EXPECT_EQ(describe(schedule, 2, 0, 1),
            "rank 2, lane 0 (tree A up), step 1: copy(input[0..3] -> output[0..3])");
  EXPECT_EQ(describe(schedule, 2, 1, 0), "rank 2, lane 1");
  EXPECT_EQ(describe(schedule, 2, 0, 7), "rank 2, lane 0 (tree A up), step 7");
}

}  // namespace
}  // namespace arb
