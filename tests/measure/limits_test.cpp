// The arithmetic of the memory limits; their values are the machine's.
#include "bench/measure/limits.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "bench/measure/case_run.hpp"
#include "collectives/runners/host/runner.hpp"
#include "collectives/runners/host/team.hpp"

namespace arb {
namespace {

TEST(Limits, TheReferenceCopiesEveryInputToItsOutput) {
  const Shape shape{Collective::kAllReduce, 3,       0, (size_t{3} << 20) / 4 + 1,
                    Dtype::kFloat32,        Op::kSum};
  HostRunner runner(shape.ranks, {});
  const Prepared prepared = std::move(prepare_copy_limit(runner, shape, false).value());
  EXPECT_TRUE(prepared.is_reference());
  const CaseBuffers buffers(shape, {});
  for (int rank = 0; rank < 3; ++rank) {
    std::memset(buffers.set(0)[rank].input, 'a' + rank, shape.bytes());
    buffers.set_guards(0, rank);
  }
  Team team(2, {});
  for (int again = 0; again < 2; ++again) {
    const Execution execution{prepared.operation.get(), buffers.set(0), 3};
    team.run({&execution, 1});
    for (int rank = 0; rank < 3; ++rank) {
      const RankBuffers& at = buffers.set(0)[rank];
      EXPECT_EQ(std::memcmp(at.input, at.output, shape.bytes()), 0);
      EXPECT_FALSE(buffers.check_guards(0, rank).changed);
      std::memset(at.output, 0, shape.bytes());
    }
  }
}

TEST(Limits, TheReferenceTakesTurnsButIsNeverChecked) {
  const Shape shape{Collective::kAllReduce, 2, 0, 1000, Dtype::kFloat32, Op::kSum};
  const CaseBuffers buffers(shape, {});
  std::vector<Prepared> prepared;
  HostRunner runner(shape.ranks, {});
  prepared.push_back(std::move(prepare_copy_limit(runner, shape, false).value()));
  CaseSettings settings;
  settings.iterations = 20;
  settings.checked_share = 1;
  Team team(2, {});
  CaseRun run(team, shape, false, buffers, std::move(prepared), settings);
  run.check();
  run.measure();
  EXPECT_EQ(run.result(0).time->n, 20);
  EXPECT_EQ(run.result(0).verify.checks, 0);
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
