// How ranks are spread over GPUs, and what is refused when they are not there; GPUs are made up.
#include "bench/gpu_room.hpp"

#include <gtest/gtest.h>

#include "bench/job.hpp"
#include "bench/plan.hpp"
#include "tests/bench/refusal.hpp"

namespace arb {
namespace {

GpuSystem gpus(int count) {
  GpuSystem system;
  if (count == 0) system.off = "no GPU is visible";
  for (int i = 0; i < count; ++i) {
    Gpu gpu;
    gpu.name = "NVIDIA H100";
    gpu.uuid = "GPU-" + std::to_string(i);
    system.gpus.push_back(gpu);
  }
  return system;
}

Options options(std::optional<int> count, std::optional<int> ranks_per_gpu,
                std::vector<int> ranks = {}) {
  Options result;
  result.backend = "cuda";
  result.gpus = count;
  result.ranks_per_gpu = ranks_per_gpu;
  result.ranks = std::move(ranks);
  return result;
}

void expect_place(const GpuRoom& room, int ranks, const std::vector<int>& wanted) {
  const auto place = place_ranks(room, ranks);
  ASSERT_TRUE(place) << ranks;
  EXPECT_EQ((std::vector<int>{place->processes, place->gpus, place->ranks_per_gpu}), wanted)
      << ranks << " ranks";
}

TEST(GpuRoom, RanksFillOneGpuAfterTheOther) {
  expect_place({1, 8, 1}, 2, {1, 2, 1});
  expect_place({1, 8, 1}, 7, {1, 7, 1});
  expect_place({1, 1, 8}, 4, {1, 1, 4});
  expect_place({1, 1, 8}, 1, {1, 1, 1});
  expect_place({1, 8, 2}, 2, {1, 1, 2});
  expect_place({1, 8, 2}, 6, {1, 3, 2});
  expect_place({1, 2, 4}, 6, {1, 2, 3});
  EXPECT_FALSE(place_ranks({1, 8, 2}, 5));  // 3 GPUs with 5 ranks
  EXPECT_FALSE(place_ranks({1, 8, 1}, 9));
  EXPECT_FALSE(place_ranks({1, 8, 1}, 0));
}

TEST(GpuRoom, ProcessesTakeAllTheirGpusOrAreAlone) {
  expect_place({4, 1, 1}, 2, {2, 1, 1});
  expect_place({4, 2, 1}, 2, {1, 2, 1});
  expect_place({4, 2, 1}, 4, {2, 2, 1});
  expect_place({4, 2, 2}, 16, {4, 2, 2});
  EXPECT_FALSE(place_ranks({4, 2, 1}, 3));  // a process and a half
}

TEST(GpuRoom, DefaultRanksArePowersOfTwoUpToAllThatFit) {
  EXPECT_EQ(gpu_rank_counts({1, 8, 1}), (std::vector<int>{2, 4, 8}));
  EXPECT_EQ(gpu_rank_counts({1, 6, 1}), (std::vector<int>{2, 4, 6}));
  EXPECT_EQ(gpu_rank_counts({1, 1, 8}), (std::vector<int>{2, 4, 8}));
  EXPECT_EQ(gpu_rank_counts({1, 8, 2}), (std::vector<int>{2, 4, 8, 16}));
  EXPECT_EQ(gpu_rank_counts({2, 3, 1}), (std::vector<int>{2, 6}));
  EXPECT_EQ(gpu_rank_counts({1, 1, 1}), (std::vector<int>{1}));
}

TEST(GpuRoom, WhatIsAskedForMustBeThere) {
  expect_refused([] { settle_room(options(4, {}), gpus(0), 1); }, ErrorKind::kEnvironment,
                 {"asked for 4 GPUs, found none: "});
  expect_refused([] { settle_room(options({}, {}), gpus(0), 1); }, ErrorKind::kEnvironment,
                 {"asked for GPUs, found none: ", "--backend host"});
  expect_refused([] { settle_room(options(4, {}), gpus(2), 1); }, ErrorKind::kEnvironment,
                 {"asked for 4 GPUs, found 2: NVIDIA H100, NVIDIA H100"});
  EXPECT_EQ(settle_room(options(2, {}), gpus(4), 1).gpus, 2);
  EXPECT_EQ(settle_room(options({}, {}), gpus(4), 1).gpus, 4);
  EXPECT_EQ(settle_room(options({}, {}), gpus(4), 3).gpus, 1) << "one for each process";
  EXPECT_EQ(settle_room(options({}, {}), gpus(4), 3).ranks(), 3);
}

TEST(GpuRoom, OneGpuIsToldHowToTakeSeveralRanks) {
  expect_usage([] { settle_room(options({}, {}), gpus(1), 1); },
               {"one GPU (NVIDIA H100)", "--ranks-per-gpu 8"});
  expect_usage([] { settle_room(options(1, {}), gpus(8), 1); }, {"--ranks-per-gpu 8"});
  EXPECT_EQ(settle_room(options({}, 8), gpus(1), 1).ranks(), 8);
  EXPECT_EQ(settle_room(options({}, {}, {1}), gpus(1), 1).ranks(), 1);
}

TEST(GpuRoom, RanksThatDoNotGoOnTheGpusAreRefused) {
  expect_usage(
      [] {
        settle_room(options(2, {}, {2, 4}), gpus(2), 1);
      },
      {"--ranks 4", "2 GPUs with 1 rank each hold 2", "--ranks-per-gpu 2"});
  expect_usage([] { settle_room(options(2, 2, {3}), gpus(2), 1); },
               {"--ranks 3", "evenly", "2 GPUs with 2 ranks each"});
  expect_usage([] { settle_room(options({}, {}, {8}), gpus(8), 4); },
               {"--ranks 8", "4 GPUs of 4 processes", "--ranks-per-gpu 2"});
}

TEST(GpuRoom, EveryProcessHasItsOwnGpus) {
  using Devices = std::vector<std::vector<int>>;
  const std::vector<std::string> both = {"GPU-0", "GPU-1"};
  EXPECT_EQ(share_gpus({both}, 2), (Devices{{0, 1}}));
  EXPECT_EQ(share_gpus({both, both}, 1), (Devices{{0}, {1}})) << "all see all";
  EXPECT_EQ(share_gpus({{"GPU-1"}, {"GPU-0"}}, 1), (Devices{{0}, {0}})) << "each sees its own";
  expect_refused(
      [&] {
        share_gpus({both, both, both}, 1);
      },
      ErrorKind::kEnvironment, {"process 2 sees 2 GPUs", "--ranks-per-gpu"});
  expect_usage([] { settle_room(options(2, {}), gpus(8), 4); },
               {"--gpus 2", "every process drives one GPU"});
}

TEST(AutoBackend, IsCudaWhereThereAreSeveralGpus) {
  Options plain;
  EXPECT_EQ(auto_backend(plain, gpus(0)), "host");
  EXPECT_EQ(auto_backend(plain, gpus(1)), "host");
  EXPECT_EQ(auto_backend(plain, gpus(2)), "cuda");
  plain.ranks = {2, 4};
  EXPECT_EQ(auto_backend(plain, gpus(2)), "host");
  EXPECT_EQ(auto_backend(plain, gpus(4)), "cuda");
  plain.workers = 2;
  EXPECT_EQ(auto_backend(plain, gpus(4)), "host");
}

TEST(AutoBackend, SaysWhatMayNotBeObvious) {
  Options plain;
  EXPECT_EQ(auto_remark(plain, gpus(0)), "");
  EXPECT_NE(auto_remark(plain, gpus(1)).find("--ranks-per-gpu 8"), std::string::npos);
  EXPECT_NE(auto_remark(plain, gpus(4)).find("4 GPUs found"), std::string::npos);
  plain.ranks = {16};
  EXPECT_NE(auto_remark(plain, gpus(4)).find("--ranks-per-gpu K"), std::string::npos);
  EXPECT_EQ(auto_remark(options({}, {}), gpus(4)), "") << "it was asked for";
}

TEST(Backend, OfAProcessAloneMayBeCuda) {
  const auto two = [] { return gpus(2); };
  const auto none = [] { return gpus(0); };
  Options plain;
  EXPECT_EQ(settled_backend(plain, nullptr, two), "cuda");
  EXPECT_EQ(settled_backend(plain, nullptr, none), "host");
  EXPECT_EQ(settled_backend(options(2, {}), nullptr, two), "cuda");
  expect_refused([&] { settled_backend(options(4, {}), nullptr, none); }, ErrorKind::kEnvironment,
                 {"asked for 4 GPUs, found none"});
  Options nccl = options({}, {});
  nccl.algorithms = {"nccl:ring"};
  EXPECT_EQ(settled_backend(nccl, nullptr, two), "cuda");
  nccl.algorithms = {"openmpi:ring"};
  expect_usage([&] { settled_backend(nccl, nullptr, two); }, {"the cuda backend has no such"});
  plain.backend = "host";
  plain.algorithms = {"nccl:ring"};
  expect_usage([&] { settled_backend(plain, nullptr, two); }, {"nccl:ring", "--backend cuda"});
}

TEST(Backend, GpusAreNotLookedForWhereTheyDoNotMatter) {
  const auto forbidden = []() -> GpuSystem { throw std::logic_error("looked for GPUs"); };
  Options plain;
  plain.verb = Verb::kProve;
  EXPECT_EQ(settled_backend(plain, nullptr, forbidden), "host");
  plain.verb = Verb::kRun;
  plain.backend = "host";
  EXPECT_EQ(settled_backend(plain, nullptr, forbidden), "host");
}

TEST(GpuPlan, MemoryIsThatOfOneGpu) {
  Options one = options({}, 2, {8});
  one.sizes = {uint64_t{1} << 30};
  Footprint footprint;
  footprint.ranks_in_memory = [](int) { return 2; };  // of 8
  const Machine machine{2, uint64_t{5} << 30, {2, 8}};
  const auto cases = plan(one, machine, footprint);
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].needed_bytes, uint64_t{4} << 30);
  EXPECT_EQ(cases[0].skip, "");
}

}  // namespace
}  // namespace arb
