// Slots, tiles and what is published in place of a copy.
#include <gtest/gtest.h>

#include "collectives/schedule/lane_builder.hpp"
#include "tests/runners/harness.hpp"

namespace arb {
namespace {

Schedule schedule_of(const std::string& algorithm, int ranks) {
  return find_algorithm(Collective::kAllReduce, algorithm)->build(ranks, 0);
}

TEST(Slots, EveryMessageFitsItsSlot) {
  for (const Named& named : every_algorithm()) {
    const Algorithm* row = find_algorithm(named.collective, named.algorithm);
    if (row == nullptr) continue;
    for (const int ranks : {1, 2, 3, 4, 7, 8, 64}) {
      const Schedule schedule = row->build(ranks, 0);
      for (const Dtype dtype : {Dtype::kInt8, Dtype::kFloat16, Dtype::kFloat64}) {
        for (const size_t blocks : {0u, 1u, 5u, 100u, 100000u}) {
          for (const size_t slot_bytes : {8u, 64u, 100u, 4096u, 1u << 20}) {
            const Shape shape{
                named.collective, ranks, 0, blocks * static_cast<size_t>(ranks), dtype, Op::kSum};
            SlotConfig config = choose_slots(schedule, shape, false, {});
            EXPECT_GE(config.slots, row->min_slots);
            for (const size_t bytes : {config.slot_bytes, slot_bytes}) {
              config.slot_bytes = bytes;
              const Tiling tiling = tile_for(schedule, shape, config);
              const size_t holds = slot_bytes_for(schedule, shape, config);
              EXPECT_GE(holds, bytes);
              for (const auto& lanes : schedule.lanes) {
                for (const Lane& lane : lanes) {
                  for (const Step& step : lane.steps) {
                    if (step.send_to == kNone || (!step.local && !step.store)) continue;
                    const Slice& slice = step.local ? step.local : step.store;
                    EXPECT_LE(tiling.range(0, slice.first, slice.count).size * size_of(dtype),
                              holds);
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

TEST(Slots, LargerMessagesNeverGetMoreThanTheCachesHold) {
  const HostFactsForSlots host{2, size_t{1} << 20, size_t{32} << 20};
  for (const int ranks : {2, 4, 64}) {
    const Schedule ring = schedule_of("ring", ranks);
    for (size_t count = 2; count <= size_t{1} << 28; count *= 16) {
      const Shape shape{Collective::kAllReduce, ranks, 0, count, Dtype::kFloat32, Op::kSum};
      const SlotConfig config = choose_slots(ring, shape, false, host);
      const size_t ranks_per_worker = static_cast<size_t>(ranks) / 2;
      EXPECT_LE(config.slot_bytes * ranks_per_worker, size_t{256} << 10) << ranks << " " << count;
    }
  }
}

TEST(Direct, ALargeRingOutOfPlaceCopiesNothingIntoSlotsThatItOwns) {
  const Shape shape{Collective::kAllReduce, 2, 0, 1 << 20, Dtype::kFloat32, Op::kSum};
  const Schedule ring = schedule_of("ring", 2);
  const Proof proof = prove(ring, Collective::kAllReduce, 0, 4, false);
  const SlotConfig config = choose_slots(ring, shape, false, {});
  const ScheduledOperation operation(ring, proof.facts, proof.order, shape, config,
                                     host_locality(shape.ranks));
  EXPECT_TRUE(operation.uses_direct());
  // Two ranks: the input of each is read where it is, and so is its finished chunk: no slot has
  // memory.
  EXPECT_EQ(operation.slot_memory_bytes(), 0u);
}

TEST(Direct, AnAccumulatorThatIsOverwrittenIsCopied) {
  const Shape shape{Collective::kAllReduce, 4, 0, 1 << 20, Dtype::kFloat32, Op::kSum};
  const Schedule doubling = schedule_of("recursive-doubling", 4);
  const Proof proof = prove(doubling, Collective::kAllReduce, 0, 4, false);
  const SlotConfig config = choose_slots(doubling, shape, false, {});
  const ScheduledOperation operation(doubling, proof.facts, proof.order, shape, config,
                                     host_locality(shape.ranks));
  EXPECT_GT(operation.slot_memory_bytes(), 0u);
}

TEST(Relay, AMessageThatIsOnlyPassedOnKeepsItsSize) {
  // Two chunks of different sizes go from rank 0 through rank 1, which stores nothing, to rank 2.
  Schedule schedule(3, 2);
  LaneBuilder(schedule, 0).copy_send(input(0), output(0), 1).copy_send(input(1), output(1), 1);
  LaneBuilder(schedule, 1).recv_send(0, 2).recv_send(0, 2);
  LaneBuilder(schedule, 1, "own", 1).recv(output(0), 0).recv(output(1), 0);
  LaneBuilder(schedule, 0, "again", 1).send(input(0), 1).send(input(1), 1);
  LaneBuilder(schedule, 2).recv(output(0), 1).recv(output(1), 1);
  const Proof proof = prove(schedule, Collective::kBroadcast, 0, 2, false);
  ASSERT_TRUE(proof.ok()) << proof.findings.front().message;
  for (const size_t count : {1u, 3u, 17u, 1000u, 1001u}) {
    const Shape shape{Collective::kBroadcast, 3, 0, count, Dtype::kFloat32, Op::kSum};
    SlotConfig config;
    config.slots = 2;
    config.slot_bytes = 256;
    Prepared prepared;
    prepared.algorithm = "relay";
    prepared.operation = std::make_unique<ScheduledOperation>(
        schedule, proof.facts, proof.order, shape, config, host_locality(shape.ranks));
    const Ran ran = run_checked(shared_team(), prepared, shape, false, 0, 4);
    EXPECT_TRUE(ran.verdict.ok()) << ran.context;
  }
}

TEST(Team, EveryRankHasOneWorker) {
  for (const int workers : {1, 2, 3, 7}) {
    Team team(workers, {});
    for (const int ranks : {1, 2, 3, 7, 8, 64}) {
      int next = 0;
      for (int w = 0; w < workers; ++w) {
        const auto [first, last] = team.ranks_of(w, ranks);
        EXPECT_EQ(first, next);
        EXPECT_GE(last, first);
        next = last;
      }
      EXPECT_EQ(next, ranks);
    }
  }
}

}  // namespace
}  // namespace arb
