// The same operations with counters about to wrap, as graphs, on GPUs that run one kernel at a
// time, and on GPUs whose stores arrive late and in any order.
#include "collectives/algorithms/registry.hpp"
#include "collectives/runners/cuda/natives.hpp"
#include "tests/cuda/runner/harness.hpp"

namespace arb {
namespace {

struct Named {
  Collective collective;
  std::string algorithm;
  bool lines;
};

/// All algorithms in both protocols, and the native ones.
const std::vector<Named>& small_set() {
  static const std::vector<Named> set = [] {
    std::vector<Named> all;
    for (const Algorithm& row : algorithms()) {
      for (const bool lines : {false, true}) {
        all.push_back({row.collective, std::string(row.name), lines});
      }
    }
    for (const CudaNative& native : cuda_natives()) {
      if (native.name.ends_with("-shot")) {
        all.push_back({Collective::kAllReduce, std::string(native.name), true});
      }
    }
    return all;
  }();
  return set;
}

void run_small_set(const GroupOptions& options, size_t count, RunOptions run) {
  const auto group = make_group(options);
  for (const Named& each : small_set()) {
    run.config = small_slots(each.lines, 2, 128, 2);
    const auto ranks = static_cast<size_t>(options.ranks);
    const Shape shape{each.collective,       options.ranks,   0,
                      count / ranks * ranks, Dtype::kFloat32, Op::kSum};
    ARB_EXPECT_RIGHT(run_checked(*group, each.algorithm, shape, run));
    run.in_place = !run.in_place;
  }
}

TEST(Wrap, FlagsAndCountersGoOnAtTheirEnds) {
  for (const uint64_t first : {uint64_t{0xffffffff} - 5, uint64_t{2} * 0xffffffff - 3}) {
    for (const uint32_t epoch : {0xfffffffcU, 0x7ffffffcU}) {
      emulated::configure({});
      GroupOptions options;
      options.ranks = 3;
      options.gpus = 2;
      options.tuning.first_message = first;
      options.tuning.first_epoch = epoch;
      RunOptions run;
      run.times = 6;
      run_small_set(options, 500, run);
    }
  }
}

TEST(Graph, ReplayedBatchesAreRight) {
  emulated::configure({});
  GroupOptions options;
  options.ranks = 4;
  options.gpus = 2;
  options.launch = Launch::kGraph;
  RunOptions run;
  run.times = 4;
  run_small_set(options, 300, run);
  EXPECT_GE(emulated::counters().graph_launches, 2 * 4 * small_set().size());
  run.batch = 3;  // out of place: the input survives
  const auto group = make_group(options);
  for (const Named& each : small_set()) {
    run.config = small_slots(each.lines, 1, 256);
    const Shape shape{each.collective, 4, 0, 100, Dtype::kInt32, Op::kSum};
    ARB_EXPECT_RIGHT(run_checked(*group, each.algorithm, shape, run));
  }
}

TEST(Batch, BackToBackOnTheSameFifos) {
  emulated::configure({});
  GroupOptions options;
  options.ranks = 3;
  options.gpus = 3;
  const auto group = make_group(options);
  RunOptions run;
  run.batch = 300;  // more than are queued behind a latch
  run.times = 1;
  for (const Named& each : small_set()) {
    run.config = small_slots(each.lines, 1, 64);
    const Shape shape{each.collective, 3, 0, 9, Dtype::kInt32, Op::kSum};
    ARB_EXPECT_RIGHT(run_checked(*group, each.algorithm, shape, run));
  }
}

TEST(Mean, NothingNeedsTwoKernelsOfOneGpuAtOnce) {
  for (const int gpus : {1, 2}) {
    emulated::Settings machine;
    machine.concurrency = emulated::Concurrency::kMean;
    machine.seed = static_cast<uint64_t>(gpus);
    emulated::configure(machine);
    GroupOptions options;
    options.ranks = 4;
    options.gpus = gpus;
    run_small_set(options, 333, {});
  }
}

/// Ranks on GPUs of their own, and ranks that share one. Four of them: inner nodes of a tree then
/// have two children.
class StoreBuffer : public testing::TestWithParam<int> {};

TEST_P(StoreBuffer, LateStoresChangeNothing) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    emulated::Settings machine;
    machine.store_buffer = true;
    machine.stale_reads = true;
    machine.seed = 1000 * static_cast<uint64_t>(GetParam()) + seed;
    emulated::configure(machine);
    GroupOptions options;
    options.ranks = 4;
    options.gpus = GetParam();
    options.tuning.threads = 8;
    RunOptions run;
    run.seed = seed;
    run_small_set(options, 40 + seed % 7, run);
    if (HasFailure()) FAIL() << "with seed " << machine.seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Emulated, StoreBuffer, testing::Values(1, 2, 4));

}  // namespace
}  // namespace arb
