// The arithmetic of the memory limits; their values are the machine's.
#include "bench/measure/limits.hpp"

#include <gtest/gtest.h>

namespace arb {
namespace {

TEST(Limits, TheShareCountsEveryInputReadOnceAndEveryOutputWrittenOnce) {
  MemoryLimits limits;
  limits.copy_gbps = 40;
  limits.add_gbps = 50;
  // 4 ranks, 1e9 bytes: 4e9 read and 4e9 written in 0.2 s are 40 GB/s of the better 50.
  EXPECT_DOUBLE_EQ(limit_share(0.2, 1'000'000'000, 4, limits), 0.8);
  EXPECT_DOUBLE_EQ(limit_share(0.1, 1'000'000'000, 2, limits), 0.8);
  limits.copy_gbps = 80;
  EXPECT_DOUBLE_EQ(limit_share(0.2, 1'000'000'000, 4, limits), 0.5);
}

TEST(Limits, WithoutATimeOrALimitThereIsNoShare) {
  EXPECT_EQ(limit_share(0, 1000, 2, {}), 0);
  EXPECT_EQ(limit_share(1, 1000, 2, {}), 0);
}

TEST(Limits, ArraysOutgrowTheCacheButNotTheMemory) {
  constexpr size_t kMiB = size_t{1} << 20;
  for (const int workers : {1, 2, 8}) {
    const auto parts = static_cast<size_t>(workers);
    const size_t roomy = limit_array_bytes(512 * kMiB, size_t{1} << 40, workers);
    EXPECT_GE(roomy * parts, 1024 * kMiB);
    // Three arrays a worker.
    const size_t tight = limit_array_bytes(512 * kMiB, 400 * kMiB, workers);
    EXPECT_LE(3 * tight * parts, 200 * kMiB);
    EXPECT_GT(tight, 0u);
  }
  EXPECT_GE(limit_array_bytes(kMiB, size_t{1} << 40, 1), 32 * kMiB);
}

TEST(Limits, TheMemoryIsMeasured) {
  Team team(2, {});
  const MemoryLimits limits = measure_memory_limits(team, (size_t{1} << 20) + 256);
  EXPECT_GT(limits.copy_gbps, 0);
  EXPECT_GT(limits.add_gbps, 0);
}

}  // namespace
}  // namespace arb
