// Chosen inputs: the seed's own numbers, cancellation, offsets, many ranks, pipelines of many
// tiles.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/runners/harness.hpp"

namespace arb {
namespace {

/// Runs `algorithm` once on float32 inputs given per rank; returns all outputs.
std::vector<std::vector<float>> all_reduce(Team& team, const std::string& algorithm,
                                           const std::vector<std::vector<float>>& inputs,
                                           Op op = Op::kSum, bool in_place = false) {
  const int ranks = static_cast<int>(inputs.size());
  const Shape shape{Collective::kAllReduce, ranks, 0, inputs[0].size(), Dtype::kFloat32, op};
  SlotConfig config;
  config.slot_bytes = 4096;
  const Prepared prepared = make(algorithm, shape, in_place, config);
  const CaseBuffers buffers(shape, {in_place, 0, 0});
  for (int r = 0; r < ranks; ++r) {
    std::memcpy(buffers.set(0)[r].input, inputs[static_cast<size_t>(r)].data(), shape.bytes());
  }
  const Execution execution{prepared.operation.get(), buffers.set(0), ranks};
  team.run({&execution, 1});
  std::vector<std::vector<float>> outputs;
  for (int r = 0; r < ranks; ++r) {
    outputs.emplace_back(shape.count);
    std::memcpy(outputs.back().data(), buffers.set(0)[r].output, shape.bytes());
  }
  return outputs;
}

std::vector<std::string> all_reduce_names() {
  std::vector<std::string> names;
  for (const Named& named : every_algorithm()) {
    if (named.collective == Collective::kAllReduce) names.push_back(named.algorithm);
  }
  return names;
}

TEST(Correctness, ThreeRanksWithOneTwoThreeGiveSixEverywhere) {
  for (const std::string& algorithm : all_reduce_names()) {
    for (const bool in_place : {false, true}) {
      const auto outputs = all_reduce(shared_team(), algorithm, {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}},
                                      Op::kSum, in_place);
      EXPECT_EQ(outputs, (std::vector<std::vector<float>>(3, {6, 6, 6}))) << algorithm;
    }
  }
}

TEST(Correctness, AverageOfThreeRanks) {
  for (const std::string& algorithm : all_reduce_names()) {
    const auto outputs = all_reduce(shared_team(), algorithm, {{1, 4}, {2, 4}, {6, 5}}, Op::kAvg);
    const std::vector<float> wanted{3.0f, 13.0f / 3.0f};
    EXPECT_EQ(outputs, (std::vector<std::vector<float>>(3, wanted))) << algorithm;
  }
}

TEST(Correctness, CancellationGivesTheSameBitsAtEveryRunAndRank) {
  const std::vector<std::vector<float>> inputs{{1e8f, 1e8f}, {1, 1}, {-1e8f, -1e8f}, {1, 1}};
  const float u = std::ldexp(1.0f, -24);
  for (const std::string& algorithm : all_reduce_names()) {
    const auto first = all_reduce(shared_team(), algorithm, inputs);
    for (const auto& output : first) {
      EXPECT_EQ(output, first[0]) << algorithm;
      // The true sum is 2; any order stays within (n-1) u sum|x|.
      for (const float value : output)
        EXPECT_LE(std::abs(value - 2.0f), 3 * u * (2e8f + 2)) << algorithm;
    }
    for (int again = 0; again < 20; ++again) {
      EXPECT_EQ(all_reduce(shared_team(), algorithm, inputs), first) << algorithm;
    }
  }
}

TEST(Correctness, NanReachesEveryRankThroughMinAndMax) {
  for (const std::string& algorithm : all_reduce_names()) {
    for (const Op op : {Op::kMin, Op::kMax, Op::kSum}) {
      const auto outputs =
          all_reduce(shared_team(), algorithm, {{1, 2}, {std::nanf(""), 2}, {0, 2}}, op);
      for (const auto& output : outputs) {
        EXPECT_TRUE(std::isnan(output[0])) << algorithm;
        EXPECT_FALSE(std::isnan(output[1])) << algorithm;
      }
    }
  }
}

TEST(Correctness, BuffersOffByElements) {
  for (const Named& named : every_algorithm()) {
    for (const Dtype dtype : {Dtype::kFloat64, Dtype::kInt8, Dtype::kFloat32}) {
      for (const int unalign : {1, 3}) {
        const Shape shape{named.collective, 4, 1, 4 * 1001, dtype, Op::kSum};
        SlotConfig config;
        config.slot_bytes = 2048;
        config.stream = true;
        const Prepared prepared = make(named.algorithm, shape, false, config);
        const Ran ran = run_checked(shared_team(), prepared, shape, false, unalign);
        EXPECT_TRUE(ran.verdict.ok()) << ran.context;
      }
    }
  }
}

TEST(Correctness, ManyTilesThroughFewSlotsInEveryMode) {
  for (const Named& named : every_algorithm()) {
    for (const bool in_place : {false, true}) {
      for (const bool stream : {false, true}) {
        for (const size_t direct : {size_t{0}, size_t{1} << 30}) {
          const Shape shape{named.collective, 5, 3, 5 * 20011, Dtype::kFloat32, Op::kSum};
          SlotConfig config;
          config.slots = 2;
          config.slot_bytes = 8192;
          config.direct_bytes = direct;
          config.stream = stream;
          const Prepared prepared = make(named.algorithm, shape, in_place, config);
          const Ran ran = run_checked(shared_team(), prepared, shape, in_place, 0, 4);
          EXPECT_TRUE(ran.verdict.ok()) << ran.context;
        }
      }
    }
  }
}

TEST(Correctness, SixtyFourRanksOnTwoWorkersAndOnOne) {
  Team alone(1, {});
  for (const Named& named : every_algorithm()) {
    const Shape shape{named.collective, 64, 63, 64 * 33, Dtype::kInt32, Op::kSum};
    SlotConfig config;
    config.slot_bytes = 1024;
    for (Team* team : {&shared_team(), &alone}) {
      const Prepared prepared = make(named.algorithm, shape, false, config);
      const Ran ran = run_checked(*team, prepared, shape, false);
      EXPECT_TRUE(ran.verdict.ok()) << ran.context;
    }
  }
}

TEST(Correctness, MoreWorkersThanCoresAndThanNeighbours) {
  Team crowd(7, {0});
  for (const Named& named : every_algorithm()) {
    const Shape shape{named.collective, 7, 2, 7 * 101, Dtype::kFloat32, Op::kMax};
    SlotConfig config;
    config.slot_bytes = 256;
    const Prepared prepared = make(named.algorithm, shape, true, config);
    const Ran ran = run_checked(crowd, prepared, shape, true);
    EXPECT_TRUE(ran.verdict.ok()) << ran.context;
  }
}

TEST(Correctness, AThousandOperationsBackToBackOnTheSameSlots) {
  for (const Named& named : every_algorithm()) {
    const Shape shape{named.collective, 3, 0, 3 * 40, Dtype::kFloat32, Op::kSum};
    SlotConfig config;
    config.slot_bytes = 64;
    config.slots = 3;
    const Prepared prepared = make(named.algorithm, shape, false, config);
    const CaseBuffers buffers(shape, {});
    const Execution batch{prepared.operation.get(), buffers.set(0), shape.ranks, 1000, 0};
    shared_team().run({&batch, 1});
    const Ran ran = run_checked(shared_team(), prepared, shape, false, 0, 6);
    EXPECT_TRUE(ran.verdict.ok()) << ran.context;
  }
}

}  // namespace
}  // namespace arb
