// NCCL's collectives behind the interface of operations, on emulated GPUs and a fake NCCL that does
// what it is told: what is tested is what it is told.
#include "collectives/runners/cuda/nccl_operation.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "tests/bench/refusal.hpp"
#include "tests/cuda/runner/harness.hpp"

namespace arb {
namespace {

const char* last_algo() {
  void* library = dlopen(ARB_FAKE_NCCL, RTLD_NOW);
  return reinterpret_cast<const char* (*)()>(dlsym(library, "fake_nccl_last_algo"))();
}

int open_communicators() {
  void* library = dlopen(ARB_FAKE_NCCL, RTLD_NOW);
  return reinterpret_cast<int (*)()>(dlsym(library, "fake_nccl_open"))();
}

class NcclOperations : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("ARB_NCCL_LIBRARY", ARB_FAKE_NCCL, 1); }

  void SetUp() override {
    emulated::Settings settings;
    settings.devices = 4;
    emulated::configure(settings);
    unsetenv("NCCL_ALGO");
  }
};

GroupOptions one_rank_per_gpu(int gpus) {
  GroupOptions options;
  options.ranks = options.gpus = gpus;
  return options;
}

TEST_F(NcclOperations, EveryRowIsRightWhereverItsBuffersAre) {
  for (const int ranks : {1, 2, 3, 4}) {
    const auto group = make_group(one_rank_per_gpu(ranks));
    for (const NcclAlgorithm& row : nccl_algorithms()) {
      for (const Op op : {Op::kSum, Op::kMax, Op::kMin, Op::kProd, Op::kAvg}) {
        const Dtype dtype = op == Op::kMax ? Dtype::kInt32 : Dtype::kFloat32;
        const size_t count = 60;  // a multiple of all rank counts
        const Shape shape{row.collective, ranks, ranks - 1, count, dtype, op};
        const std::string name(row.name);
        ASSERT_EQ(group->runner().unsupported_native(name, shape), std::nullopt);
        RunOptions run;
        for (const bool in_place : {false, true}) {
          run.in_place = in_place;
          ARB_EXPECT_RIGHT(run_checked(*group, name, shape, run));
        }
      }
    }
  }
}

TEST_F(NcclOperations, GraphsReplayThem) {
  GroupOptions options = one_rank_per_gpu(4);
  options.launch = Launch::kGraph;
  const auto group = make_group(options);
  RunOptions run;
  run.times = 4;
  run.batch = 3;
  const Shape shape{Collective::kAllReduce, 4, 0, 1000, Dtype::kFloat32, Op::kSum};
  ARB_EXPECT_RIGHT(run_checked(*group, "nccl:default", shape, run));
}

TEST_F(NcclOperations, EachVariantHasCommunicatorsThatWereForced) {
  const int before = open_communicators();
  {
    const auto group = make_group(one_rank_per_gpu(2));
    const Shape shape{Collective::kAllReduce, 2, 0, 8, Dtype::kFloat32, Op::kSum};
    const auto made = [&](const char* name) {
      const Made one = group->runner().make_native(name, shape, false);
      EXPECT_EQ(one.protocol, "") << "NCCL does not tell";
      EXPECT_EQ(std::getenv("NCCL_ALGO"), nullptr) << "nothing is left behind";
      return std::string(last_algo());
    };
    EXPECT_EQ(made("nccl:default"), "");
    EXPECT_EQ(made("nccl:ring"), "Ring");
    EXPECT_EQ(made("nccl:tree"), "Tree");
    EXPECT_EQ(made("nccl:nvls-off"), "^NVLS,NVLSTree");
    EXPECT_EQ(made("nccl:ring"), "^NVLS,NVLSTree") << "its communicators were kept";
    EXPECT_EQ(open_communicators(), before + 4 * 2);
  }
  EXPECT_EQ(open_communicators(), before);
}

TEST_F(NcclOperations, WhatTheUserForcesIsForTheDefault) {
  setenv("NCCL_ALGO", "Tree", 1);
  const auto group = make_group(one_rank_per_gpu(2));
  const Shape shape{Collective::kAllReduce, 2, 0, 8, Dtype::kFloat32, Op::kSum};
  EXPECT_EQ(group->runner().unsupported_native("nccl:default", shape), std::nullopt);
  EXPECT_TRUE(group->runner().unsupported_native("nccl:ring", shape));
  group->runner().make_native("nccl:default", shape, false);
  EXPECT_STREQ(last_algo(), "Tree");
  EXPECT_STREQ(std::getenv("NCCL_ALGO"), "Tree");
}

TEST_F(NcclOperations, SeveralRanksOnAGpuAndMissingRowsAreRefusedWithAReason) {
  GroupOptions options;
  options.ranks = 4;
  options.gpus = 2;
  const auto group = make_group(options);
  const Shape shape{Collective::kAllReduce, 4, 0, 8, Dtype::kFloat32, Op::kSum};
  const auto shared = group->runner().unsupported_native("nccl:default", shape);
  ASSERT_TRUE(shared);
  EXPECT_NE(shared->find("one rank per GPU"), std::string::npos) << *shared;
  const Shape broadcast{Collective::kBroadcast, 4, 0, 8, Dtype::kFloat32, Op::kSum};
  const auto missing = group->runner().unsupported_native("nccl:tree", broadcast);
  ASSERT_TRUE(missing);
  EXPECT_NE(missing->find("nccl:default"), std::string::npos) << *missing;
}

TEST_F(NcclOperations, FailuresAreInNcclsWords) {
  const auto group = make_group(one_rank_per_gpu(2));
  const Shape shape{Collective::kAllReduce, 2, 0, 8, Dtype::kFloat32, Op::kSum};
  setenv("FAKE_NCCL_NO_ID", "1", 1);
  expect_refused([&] { group->runner().make_native("nccl:default", shape, false); },
                 ErrorKind::kEnvironment, {"ncclGetUniqueId of NCCL 2.28.9: invalid usage"});
  unsetenv("FAKE_NCCL_NO_ID");
  EXPECT_NE(group->runner().make_native("nccl:default", shape, false).operation, nullptr);
}

TEST_F(NcclOperations, TheCopyLimitCopiesEveryInputToItsOutput) {
  GroupOptions options;
  options.ranks = 4;
  options.gpus = 2;
  const auto group = make_group(options);
  const Shape shape{Collective::kAllReduce, 4, 0, 1000, Dtype::kInt32, Op::kSum};
  const auto made = group->runner().make_copy_limit(shape, false);
  ASSERT_TRUE(made);
  const Messages messages(*group, shape, false);
  messages.fill({DataKind::kRandom, shape.dtype, shape.op, shape.ranks, 7});
  const Execution execution{made->operation.get(), messages.table(), shape.ranks};
  group->crew().run({&execution, 1});
  for (int rank = 0; rank < shape.ranks; ++rank) {
    const RankBuffers& at = messages.table()[rank];
    EXPECT_TRUE(std::equal(at.input, at.input + shape.bytes(), at.output)) << rank;
  }
}

}  // namespace
}  // namespace arb
