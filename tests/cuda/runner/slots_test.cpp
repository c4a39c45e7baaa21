// How FIFOs are cut on GPUs: lines for small messages, channels that fit the grid, and slots that
// stay in the cache where ranks share a GPU.
#include "collectives/runners/cuda/slots.hpp"

#include <gtest/gtest.h>

#include "collectives/algorithms/registry.hpp"

namespace arb {
namespace {

SlotConfig choose(const char* algorithm, int ranks, size_t bytes, const GpuFactsForSlots& gpu,
                  const char* protocol = "auto") {
  const Schedule schedule = find_algorithm(Collective::kAllReduce, algorithm)->build(ranks, 0);
  const Shape shape{Collective::kAllReduce, ranks, 0, bytes / 4, Dtype::kFloat32, Op::kSum};
  return choose_gpu_slots(schedule, shape, gpu, protocol);
}

size_t lanes(const char* algorithm, int ranks) {
  size_t most = 0;
  for (const auto& of_rank :
       find_algorithm(Collective::kAllReduce, algorithm)->build(ranks, 0).lanes)
    most = std::max(most, of_rank.size());
  return most;
}

TEST(GpuSlots, LinesForSmallMessagesUnlessTold) {
  const GpuFactsForSlots gpu;
  EXPECT_TRUE(choose("ring", 8, 1024, gpu).lines);
  EXPECT_TRUE(choose("ring", 8, 512 << 10, gpu).lines);
  EXPECT_FALSE(choose("ring", 8, 1 << 20, gpu).lines);
  EXPECT_FALSE(choose("ring", 8, 1024, gpu, "simple").lines);
  EXPECT_TRUE(choose("ring", 8, 64 << 20, gpu, "ll").lines);
}

TEST(GpuSlots, ChannelsAlwaysFitTheGrid) {
  for (const char* algorithm : {"ring", "tree", "naive-root", "recursive-doubling"}) {
    for (const int ranks : {1, 2, 8, 16, 32, 64}) {
      for (size_t bytes = 8; bytes <= size_t{1} << 32; bytes *= 8) {
        GpuFactsForSlots gpu;
        gpu.one_gpu = true;
        gpu.ranks_per_gpu = ranks;
        const SlotConfig config = choose(algorithm, ranks, bytes, gpu);
        const size_t blocks = lanes(algorithm, ranks) * static_cast<size_t>(ranks) *
                              static_cast<size_t>(config.channels);
        EXPECT_GE(config.channels, 1);
        EXPECT_GE(config.slot_bytes, 64u);
        if (config.channels > 1) {
          EXPECT_LE(blocks, 264u) << algorithm << " " << ranks;
        }
      }
    }
  }
  EXPECT_EQ(choose("ring", 8, size_t{256} << 20, {}).channels, 16);
}

TEST(GpuSlots, WhatIsInFlightStaysInTheCacheOfASharedGpu) {
  GpuFactsForSlots gpu;
  gpu.one_gpu = true;
  gpu.ranks_per_gpu = 8;
  const SlotConfig config = choose("ring", 8, size_t{256} << 20, gpu);
  EXPECT_LE(8 * static_cast<size_t>(config.channels * config.slots) * config.slot_bytes,
            gpu.l2_bytes / 2);
  EXPECT_GE(config.slot_bytes, size_t{32} << 10);
}

}  // namespace
}  // namespace arb
