// Which messages may be read where they lie.
#include <gtest/gtest.h>

#include "collectives/algorithms/registry.hpp"
#include "collectives/schedule/lane_builder.hpp"
#include "verify/prove.hpp"

namespace arb {
namespace {

struct Sends {
  int own_memory = 0;  // sends of something that also lies in the sender's input or output
  int direct = 0;
};

Sends count(const Schedule& schedule, Collective collective, int slots, bool in_place) {
  const Proof proof = prove(schedule, collective, 0, slots, in_place);
  EXPECT_TRUE(proof.ok());
  Sends sends;
  for (size_t rank = 0; rank < schedule.lanes.size(); ++rank) {
    for (size_t lane = 0; lane < schedule.lanes[rank].size(); ++lane) {
      for (size_t i = 0; i < schedule.lanes[rank][lane].steps.size(); ++i) {
        const Step& step = schedule.lanes[rank][lane].steps[i];
        const Slice from = step.store ? step.store : step.recv_from == kNone ? step.local : Slice{};
        const bool own = step.send_to != kNone && from && from.buffer != Buffer::kScratch;
        const bool direct = proof.facts[rank][lane][i].direct;
        EXPECT_TRUE(own || !direct) << describe(schedule, static_cast<int>(rank),
                                                static_cast<int>(lane), static_cast<int>(i));
        sends.own_memory += own;
        sends.direct += direct;
      }
    }
  }
  return sends;
}

Sends count(Collective collective, std::string_view algorithm, int ranks, bool in_place) {
  const Algorithm& row = *find_algorithm(collective, algorithm);
  return count(row.build(ranks, 0), collective, row.min_slots, in_place);
}

TEST(Direct, RingPublishesNothingThatChanges) {
  for (const int ranks : {2, 3, 4, 8}) {
    for (const bool in_place : {false, true}) {
      const Sends sends = count(Collective::kAllReduce, "ring", ranks, in_place);
      EXPECT_EQ(sends.own_memory, ranks * ranks);  // own input, the whole chunk, P-2 forwarded
      EXPECT_EQ(sends.direct, sends.own_memory);
      const Sends gather = count(Collective::kAllGather, "ring", ranks, in_place);
      EXPECT_EQ(gather.direct, ranks * (ranks - 1));
    }
  }
}

TEST(Direct, RecursiveDoublingOverwritesWhatItSent) {
  const Sends out = count(Collective::kAllReduce, "recursive-doubling", 8, false);
  EXPECT_EQ(out.own_memory, 8 * 3);
  EXPECT_EQ(out.direct, 8) << "only the first exchange, which sends the input";
  const Sends in = count(Collective::kAllReduce, "recursive-doubling", 8, true);
  EXPECT_EQ(in.direct, 0) << "in place the input is the accumulator";
}

TEST(Direct, RabenseifnerHalvesAreSafe) {
  for (const bool in_place : {false, true}) {
    const Sends sends = count(Collective::kAllReduce, "rabenseifner", 8, in_place);
    EXPECT_EQ(sends.direct, sends.own_memory);
    EXPECT_EQ(sends.direct, 8 * 6);
  }
}

TEST(Direct, ScratchIsNever) {
  const Algorithm& row = *find_algorithm(Collective::kReduce, "tree");
  Schedule schedule(2, 1);
  LaneBuilder(schedule, 0).recv_reduce(input(0), output(0), 1);
  LaneBuilder(schedule, 1).copy(input(0), scratch(0)).send(scratch(0), 0);
  EXPECT_EQ(count(schedule, Collective::kReduce, 1, false).direct, 0);
  for (const bool in_place : {false, true}) {
    const Sends sends = count(row.build(8, 0), row.collective, 1, in_place);
    EXPECT_EQ(sends.direct, sends.own_memory);  // the leaves' inputs
  }
}

TEST(Direct, AWriteByAnotherLaneOfTheRankCounts) {
  // Rank 0 sends output[0] and then lets a second lane overwrite it, without hearing from rank 1 in
  // between.
  for (const bool acknowledged : {false, true}) {
    Schedule schedule(2, 1);
    LaneBuilder first(schedule, 0, "first");
    first.recv_reduce(input(0), output(0), 1).send(output(0), 1);
    LaneBuilder second(schedule, 0, "second", 1);
    if (acknowledged) {
      second.recv(output(0), 1);
    } else {
      first.mark(0);
      second.after(0).copy(output(0), output(0));
    }
    LaneBuilder other(schedule, 1);
    other.send(input(0), 0).recv(output(0), 0);
    if (acknowledged) {
      other.mark(0);
      LaneBuilder(schedule, 1, "back", 1).after(0).send(output(0), 0);
    }
    const Proof proof = prove(schedule, Collective::kAllReduce, 0, 1, false);
    ASSERT_TRUE(proof.ok()) << proof.findings[0].message;
    EXPECT_EQ(proof.facts[0][0][1].direct, acknowledged);
  }
}

}  // namespace
}  // namespace arb
