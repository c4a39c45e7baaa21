// One broken schedule per kind of finding.
#include <gtest/gtest.h>

#include <functional>

#include "collectives/algorithms/registry.hpp"
#include "collectives/schedule/lane_builder.hpp"
#include "verify/prove.hpp"

namespace arb {
namespace {

void expect_finding(const Proof& proof, const std::string& kind, int rank, int lane, int step,
                    const std::string& part) {
  for (const Finding& finding : proof.findings) {
    if (finding.kind == kind && finding.rank == rank && finding.lane == lane &&
        finding.step == step && finding.message.find(part) != std::string::npos) {
      return;
    }
  }
  std::string all;
  for (const Finding& f : proof.findings) {
    all += f.kind + " " + std::to_string(f.rank) + "/" + std::to_string(f.lane) + "/" +
           std::to_string(f.step) + " " + f.message + "\n";
  }
  ADD_FAILURE() << "no " << kind << " with \"" << part << "\" in:\n" << all;
}

/// Naive root on 3 ranks, the schedule the tests below break.
Schedule healthy() { return find_algorithm(Collective::kAllReduce, "naive-root")->build(3, 0); }

Proof prove_broken(const std::function<void(Schedule&)>& breaks, bool in_place = false) {
  Schedule schedule = healthy();
  breaks(schedule);
  return prove(schedule, Collective::kAllReduce, 0, 2, in_place);
}

TEST(Findings, MissingContribution) {
  const Proof proof = prove_broken([](Schedule& s) {
    s.lanes[0][0].steps.erase(s.lanes[0][0].steps.begin() + 1);
    s.lanes[2][0].steps.erase(s.lanes[2][0].steps.begin());
  });
  expect_finding(proof, "missing", 0, 0, 0, "without the input of rank 2");
}

TEST(Findings, DoubledContribution) {
  const Proof proof = prove_broken([](Schedule& s) {
    Step again = s.lanes[0][0].steps[1];
    s.lanes[0][0].steps.insert(s.lanes[0][0].steps.begin() + 2, again);
    s.lanes[2][0].steps.insert(s.lanes[2][0].steps.begin(), s.lanes[2][0].steps[0]);
  });
  expect_finding(proof, "doubled", 0, 0, 2, "the input of rank 2 too often");
}

TEST(Findings, OverwrittenSum) {
  const Proof proof = prove_broken([](Schedule& s) { s.lanes[0][0].steps[1].local = input(0); });
  expect_finding(proof, "missing", 0, 0, 1, "without the input of rank 1");
}

TEST(Findings, UnwrittenOutput) {
  Schedule schedule(2, 2);
  LaneBuilder(schedule, 0).send(input(0, 2), 1).recv(output(0), 1);
  LaneBuilder(schedule, 1).recv_reduce(input(0, 2), output(0, 2), 0).send(output(0), 0);
  expect_finding(prove(schedule, Collective::kAllReduce, 0, 1, false), "missing", 0, 0, 1,
                 "nothing wrote output[1]");
}

TEST(Findings, ReadBeforeWrite) {
  const Proof proof = prove_broken([](Schedule& s) { s.lanes[0][0].steps[0].local = output(0); });
  expect_finding(proof, "missing", 0, 0, 0, "reads output[0], where nothing was written yet");
}

TEST(Findings, AnotherOrderAtAnotherRank) {
  // Everybody gets all inputs, but rank 0 adds (0+1)+2 and rank 1 adds (1+2)+0.
  Schedule schedule(3, 1);
  LaneBuilder(schedule, 0)
      .send(input(0), 1)
      .recv_reduce(input(0), output(0), 1)
      .recv_reduce(output(0), output(0), 2)
      .send(output(0), 2);
  LaneBuilder(schedule, 1)
      .send(input(0), 0)
      .recv_reduce(input(0), output(0), 2)
      .recv_reduce(output(0), output(0), 0);
  LaneBuilder(schedule, 2).send(input(0), 0).send(input(0), 1).recv(output(0), 0);
  expect_finding(prove(schedule, Collective::kAllReduce, 0, 1, false), "order", 1, 0, 2,
                 "results would differ");
}

TEST(Findings, FifoWithUnequalEnds) {
  expect_finding(prove_broken([](Schedule& s) { s.lanes[2][0].steps.pop_back(); }), "fifo", 0, 0, 3,
                 "sends message 1 of the FIFO from rank 0 to rank 2, channel 0");
  expect_finding(prove_broken([](Schedule& s) { s.lanes[0][0].steps.pop_back(); }), "fifo", 2, 0, 1,
                 "waits for message 1 of the FIFO from rank 0 to rank 2, channel 0");
}

TEST(Findings, FifoSharedByTwoLanes) {
  const Proof proof = prove_broken([](Schedule& s) {
    LaneBuilder(s, 1, "second").send(input(0), 0);
    LaneBuilder(s, 0, "second").recv(scratch(0), 1);
  });
  expect_finding(proof, "fifo", 1, 1, 0, "belongs to rank 1 lane 0 step 0");
  expect_finding(proof, "fifo", 0, 1, 0, "belongs to rank 0 lane 0 step 0");
}

TEST(Findings, MessageForAnotherChunk) {
  Schedule schedule(2, 2);
  LaneBuilder(schedule, 0).send(input(0), 1).recv(output(0, 2), 1);
  LaneBuilder(schedule, 1).recv_reduce(input(1), output(1), 0).send(output(0, 2), 0);
  expect_finding(prove(schedule, Collective::kAllReduce, 0, 1, false), "wrong chunk", 1, 0, 0,
                 "works on chunk 1, but rank 0 lane 0 step 0 sends it chunk 0");
}

TEST(Findings, MessageOfAnotherSize) {
  Schedule schedule(2, 2);
  LaneBuilder(schedule, 0).send(input(0, 2), 1).recv(output(0, 2), 1);
  LaneBuilder(schedule, 1).recv_reduce(input(0), output(0), 0).send(output(0, 2), 0);
  expect_finding(prove(schedule, Collective::kAllReduce, 0, 1, false), "wrong chunk", 1, 0, 0,
                 "sends it chunks 0..1");
}

TEST(Findings, RaceBetweenLanes) {
  Schedule schedule = find_algorithm(Collective::kAllReduce, "tree")->build(4, 0);
  schedule.lanes[0][1].steps[0].after = kNone;  // the root of tree A no longer waits for its sum
  expect_finding(prove(schedule, Collective::kAllReduce, 0, 2, false), "race", 0, 1, 0,
                 "reads output[0], which rank 0 lane 0 step 0 writes too");
}

TEST(Findings, RaceThatExistsOnlyInPlace) {
  // A second lane sends the input while the first already overwrites it.
  Schedule schedule(2, 1);
  LaneBuilder(schedule, 0, "take").recv_reduce(input(0), output(0), 1);
  LaneBuilder(schedule, 0, "give").send(input(0), 1);
  LaneBuilder(schedule, 1, "take").recv_reduce(input(0), output(0), 0);
  LaneBuilder(schedule, 1, "give").send(input(0), 0);
  EXPECT_TRUE(prove(schedule, Collective::kAllReduce, 0, 1, false).ok());
  const Proof proof = prove(schedule, Collective::kAllReduce, 0, 1, true);
  ASSERT_FALSE(proof.ok());
  EXPECT_EQ(proof.findings[0].kind, "race");
}

TEST(Findings, ScratchSharedByTwoLanes) {
  Schedule schedule(1, 1);
  LaneBuilder(schedule, 0, "first").copy(input(0), scratch(0)).mark(0);
  LaneBuilder(schedule, 0, "second").after(0).copy(scratch(0), output(0));
  expect_finding(prove(schedule, Collective::kAllReduce, 0, 1, false), "race", 0, 1, 0,
                 "scratch chunks belong to one lane");
}

TEST(Findings, ExchangeThatReceivesFirst) {
  Schedule schedule(2, 1);
  for (const int rank : {0, 1}) {
    LaneBuilder(schedule, rank).recv_reduce(input(0), output(0), 1 - rank).send(input(0), 1 - rank);
  }
  expect_finding(prove(schedule, Collective::kAllReduce, 0, 8, false), "deadlock", 0, 0, 0,
                 "in a cycle of 4 steps");
}

TEST(Findings, MalformedSteps) {
  const auto broken = [](const std::function<void(Step&)>& breaks) {
    return prove_broken([&](Schedule& s) { breaks(s.lanes[0][0].steps[0]); });
  };
  const auto expect = [&](const std::function<void(Step&)>& breaks, const std::string& part) {
    expect_finding(broken(breaks), "malformed", 0, 0, 0, part);
  };
  expect([](Step& s) { s.store = {}; }, "none of the nine legal verbs");
  expect([](Step& s) { s.recv_from = 0; }, "receives from itself");
  expect([](Step& s) { s.recv_from = 3; }, "receives from rank 3, but there are 3 ranks");
  expect([](Step& s) { s.send_to = -7; }, "sends to rank -7");
  expect([](Step& s) { s.local.first = 1; }, "but a tile has 1 chunks");
  expect([](Step& s) { s.local.first = -1; }, "but a tile has 1 chunks");
  expect([](Step& s) { s.local.count = 0; }, "but a tile has 1 chunks");
  expect([](Step& s) { s.store.count = 2147483647; }, "but a tile has 1 chunks");
  expect([](Step& s) { s.store = input(0); }, "must survive");
  expect([](Step& s) { s.after = -2; }, "negative event");
  expect([](Step& s) { s.after = 9; }, "waits for event 9, which no step of the rank marks");
  const Proof twice = prove_broken([](Schedule& s) {
    s.lanes[0][0].steps[0].marks = 4;
    s.lanes[0][0].steps[2].marks = 4;
  });
  expect_finding(twice, "malformed", 0, 0, 2,
                 "marks event 4 a second time, after rank 0 lane 0 step 0");
}

TEST(Findings, EventThatComesTooLate) {
  const Proof proof = prove_broken([](Schedule& s) {
    s.lanes[0][0].steps[0].after = 0;
    s.lanes[0][0].steps[1].marks = 0;
  });
  expect_finding(proof, "deadlock", 0, 0, 0, "event from rank 0 lane 0 step 1");
}

TEST(Findings, BuffersThatTheCollectiveDoesNotGive) {
  Schedule gather = find_algorithm(Collective::kAllGather, "ring")->build(3, 0);
  gather.lanes[1][0].steps[1] = {
      .recv_from = 0, .send_to = 2, .local = input(0), .store = output(0)};
  expect_finding(prove(gather, Collective::kAllGather, 0, 2, false), "malformed", 1, 0, 1,
                 "uses input[0], which the rank does not have in all-gather");
  Schedule reduce = find_algorithm(Collective::kReduce, "naive-root")->build(3, 0);
  reduce.lanes[2][0].steps[0].store = output(0);
  expect_finding(prove(reduce, Collective::kReduce, 0, 2, false), "malformed", 2, 0, 0,
                 "uses output[0], which the rank does not have in reduce");
  Schedule scatter(2, 2);
  LaneBuilder(scatter, 0).copy(input(0, 2), scratch(0, 2));
  expect_finding(prove(scatter, Collective::kReduceScatter, 0, 2, false), "malformed", 0, 0, 0,
                 "not contiguous");
}

TEST(Findings, StepThatCompletesOnlyAPartOfItsSlice) {
  // What reaches rank 1 holds two inputs in chunk 0 and one in chunk 1: an average could not divide
  // there.
  Schedule schedule(3, 2);
  LaneBuilder(schedule, 2).send(input(0), 0);
  LaneBuilder(schedule, 0)
      .recv_reduce(input(0), output(0), 2)
      .copy(input(1), output(1))
      .send(output(0, 2), 1);
  LaneBuilder(schedule, 1).recv_reduce(input(0, 2), output(0, 2), 0);
  expect_finding(prove(schedule, Collective::kAllReduce, 0, 2, false), "malformed", 1, 0, 0,
                 "completes 1 of the 2 chunks of its slice");
}

TEST(Findings, ShapeOfTheSchedule) {
  const auto kind = [](const Schedule& schedule, Collective collective, int root, int slots) {
    const Proof proof = prove(schedule, collective, root, slots, false);
    return proof.ok() ? "ok" : proof.findings[0].kind;
  };
  EXPECT_EQ(kind(Schedule(0, 1), Collective::kAllReduce, 0, 1), "malformed");
  EXPECT_EQ(kind(Schedule(2, 0), Collective::kAllReduce, 0, 1), "malformed");
  EXPECT_EQ(kind(Schedule(2, 3), Collective::kAllGather, 0, 1), "malformed");
  EXPECT_EQ(kind(healthy(), Collective::kReduce, 3, 1), "malformed");
  EXPECT_EQ(kind(healthy(), Collective::kAllReduce, 0, 0), "malformed");
  EXPECT_EQ(kind(healthy(), Collective::kAllReduce, 0, 1), "ok");
  Schedule wrong_size = healthy();
  wrong_size.lanes.pop_back();
  EXPECT_EQ(kind(wrong_size, Collective::kAllReduce, 0, 1), "malformed");
  EXPECT_EQ(kind(Schedule(2, 1), Collective::kAllReduce, 0, 1), "missing");
}

TEST(Findings, AreAtMostSixteen) {
  Schedule schedule = find_algorithm(Collective::kAllReduce, "ring")->build(16, 0);
  for (auto& lanes : schedule.lanes) {
    for (Step& step : lanes[0].steps) step.send_to = 99;
  }
  EXPECT_EQ(prove(schedule, Collective::kAllReduce, 0, 2, false).findings.size(), 16U);
}

}  // namespace
}  // namespace arb
