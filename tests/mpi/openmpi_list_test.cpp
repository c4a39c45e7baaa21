#include "collectives/runners/mpi/openmpi_list.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace arb {
namespace {

Shape all_reduce(int ranks, size_t count, Dtype dtype = Dtype::kFloat32, Op op = Op::kSum) {
  return {Collective::kAllReduce, ranks, 0, count, dtype, op};
}

const OpenMpiAlgorithm& row(std::string_view name, Collective of = Collective::kAllReduce) {
  const OpenMpiAlgorithm* found = find_openmpi(of, name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

bool says(const std::optional<std::string>& reason, std::string_view words) {
  return reason && reason->find(words) != std::string::npos;
}

TEST(OpenMpiList, EveryCollectiveHasTheChoiceOfTheLibraryAndAllReduceTheSixOfCollTuned) {
  std::set<std::pair<Collective, std::string_view>> names;
  std::set<int> forced;
  for (const OpenMpiAlgorithm& algorithm : openmpi_algorithms()) {
    EXPECT_TRUE(names.insert({algorithm.collective, algorithm.name}).second) << algorithm.name;
    EXPECT_EQ(find_openmpi(algorithm.collective, algorithm.name), &algorithm);
    EXPECT_FALSE(algorithm.summary.empty());
    EXPECT_EQ(algorithm.forced == 0, algorithm.name == "openmpi:default");
    if (algorithm.forced != 0) forced.insert(algorithm.forced);
  }
  for (const Collective collective : kCollectives) {
    EXPECT_NE(find_openmpi(collective, "openmpi:default"), nullptr) << name(collective);
  }
  EXPECT_EQ(forced, (std::set<int>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(find_openmpi(Collective::kBroadcast, "openmpi:ring"), nullptr);
  EXPECT_EQ(find_openmpi(Collective::kAllReduce, "ring"), nullptr);
}

TEST(OpenMpiList, TypesAndOperatorsThatMpiLacksAreRefusedOnlyWhereSomethingIsReduced) {
  const OpenMpiAlgorithm& any = row("openmpi:default");
  EXPECT_TRUE(says(openmpi_unsupported(any, all_reduce(2, 8, Dtype::kFloat16)), "float16"));
  EXPECT_TRUE(says(openmpi_unsupported(any, all_reduce(2, 8, Dtype::kBfloat16)), "bfloat16"));
  EXPECT_TRUE(says(openmpi_unsupported(any, all_reduce(2, 8, Dtype::kFloat32, Op::kAvg)), "avg"));
  EXPECT_EQ(openmpi_unsupported(any, all_reduce(2, 8)), std::nullopt);
  for (const Collective moves : {Collective::kAllGather, Collective::kBroadcast}) {
    const Shape shape{moves, 2, 0, 8, Dtype::kFloat16, Op::kAvg};
    EXPECT_EQ(openmpi_unsupported(row("openmpi:default", moves), shape), std::nullopt);
  }
}

TEST(OpenMpiList, CountsAboveIntMaxAreRefused) {
  const OpenMpiAlgorithm& any = row("openmpi:default");
  EXPECT_EQ(openmpi_unsupported(any, all_reduce(2, 2147483647)), std::nullopt);
  EXPECT_TRUE(says(openmpi_unsupported(any, all_reduce(2, 2147483648)), "2147483648 elements"));
}

TEST(OpenMpiList, WhatCollTunedWouldReplaceIsRefused) {
  const auto refused = [](const char* name, int ranks, size_t count) {
    return openmpi_unsupported(row(name), all_reduce(ranks, count));
  };
  EXPECT_TRUE(says(refused("openmpi:ring", 5, 4), "recursive doubling"));
  EXPECT_EQ(refused("openmpi:ring", 5, 5), std::nullopt);

  EXPECT_TRUE(says(refused("openmpi:rabenseifner", 7, 3), "linear"));
  EXPECT_EQ(refused("openmpi:rabenseifner", 7, 4), std::nullopt);

  EXPECT_TRUE(says(refused("openmpi:segmented-ring", 4, 4 * 16384 - 1), "plain ring"));
  EXPECT_EQ(refused("openmpi:segmented-ring", 4, 4 * 16384), std::nullopt);

  for (const char* name :
       {"openmpi:basic-linear", "openmpi:nonoverlapping", "openmpi:recursive-doubling"}) {
    EXPECT_EQ(refused(name, 64, 1), std::nullopt);
    EXPECT_TRUE(says(refused(name, 64, 0), "0 elements"));
    EXPECT_TRUE(says(refused(name, 1, 64), "one rank"));
  }
  EXPECT_EQ(refused("openmpi:default", 1, 0), std::nullopt);
}

TEST(OpenMpiList, TheCureIsForSumsOfOneByte) {
  for (const Dtype dtype : kDtypes) {
    for (const Op op : kOps) {
      const bool wanted = op == Op::kSum && (dtype == Dtype::kInt8 || dtype == Dtype::kUint8);
      EXPECT_EQ(!openmpi_cure(dtype, op).empty(), wanted) << name(dtype) << " " << name(op);
    }
  }
  EXPECT_NE(openmpi_cure(Dtype::kInt8, Op::kSum).find("--mca op ^avx"), std::string::npos);
}

}  // namespace
}  // namespace arb
