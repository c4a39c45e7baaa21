#include "verify/oracle.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "collectives/error.hpp"
#include "collectives/ops/kernels.hpp"
#include "tests/verify/message.hpp"

namespace arb {
namespace {

/// Recursive and with whole buffers: nothing in common with the oracle but the kernels.
std::vector<std::byte> plain(const DataSpec& spec, const ReductionOrder& order, int node,
                             size_t first, size_t count) {
  const Expression& expression = order.arena[static_cast<size_t>(node)];
  std::vector<std::byte> result(count * size_of(spec.dtype));
  if (expression.rank >= 0) {
    generate(spec, expression.rank, first, count, result.data());
    return result;
  }
  const auto left = plain(spec, order, expression.left, first, count);
  const auto right = plain(spec, order, expression.right, first, count);
  kernels(spec.dtype, spec.op).reduce(result.data(), left.data(), right.data(), count);
  return result;
}

void expect_replay(const DataSpec& spec, const ReductionOrder& order) {
  Oracle oracle(spec, order);
  for (size_t chunk = 0; chunk < order.result.size(); ++chunk) {
    for (const size_t count : {size_t{1}, size_t{300}, Oracle::kMaxBlock}) {
      auto expected = plain(spec, order, order.result[chunk], 77, count);
      const Kernels kernel = kernels(spec.dtype, spec.op);
      if (kernel.finish != nullptr) kernel.finish(expected.data(), count, spec.ranks);
      const void* const got = oracle.expected(static_cast<int>(chunk), 77, count);
      ASSERT_EQ(std::memcmp(got, expected.data(), expected.size()), 0)
          << test::label(spec) << " chunk " << chunk;
    }
  }
}

TEST(Oracle, ReplaysChainsRingsAndTreesBitForBit) {
  for (const Dtype dtype : kDtypes) {
    for (const Op op : kOps) {
      if (unsupported(dtype, op)) continue;
      for (const int ranks : {1, 2, 3, 5, 8}) {
        const DataSpec spec{DataKind::kRandom, dtype, op, ranks, 3};
        expect_replay(spec, rank_order(ranks, 2));
        expect_replay(spec, test::ring_order(ranks, ranks));
        expect_replay(spec, test::tree_order(ranks, 2));
      }
    }
  }
}

TEST(Oracle, OrdersDiffer) {
  const DataSpec spec{DataKind::kRandom, Dtype::kFloat32, Op::kSum, 8, 3};
  const ReductionOrder chain = rank_order(8, 1);
  const ReductionOrder tree = test::tree_order(8, 1);
  Oracle one(spec, chain);
  Oracle other(spec, tree);
  EXPECT_NE(std::memcmp(one.expected(0, 0, 1000), other.expected(0, 0, 1000), 4000), 0);
}

/// A chain that grows to the right: the deeper operand is the right one at every node.
TEST(Oracle, TakesLongChainsOnBothSides) {
  constexpr int kRanks = 1024;
  const DataSpec spec{DataKind::kRandom, Dtype::kFloat32, Op::kSum, kRanks, 9};
  ReductionOrder order;
  order.arena.push_back({.rank = kRanks - 1});
  for (int rank = kRanks - 2; rank >= 0; --rank) {
    const int tail = static_cast<int>(order.arena.size()) - 1;
    order.arena.push_back({.rank = rank});
    order.arena.push_back({.left = tail + 1, .right = tail, .leaves = kRanks - rank});
  }
  order.result = {static_cast<int>(order.arena.size()) - 1};
  expect_replay(spec, order);
  expect_replay(spec, rank_order(kRanks, 1));
}

TEST(Oracle, DividesOnlyWholeSums) {
  const DataSpec spec{DataKind::kRandom, Dtype::kFloat32, Op::kAvg, 4, 3};
  ReductionOrder part;
  part.arena = {{.rank = 0}, {.rank = 1}, {.rank = -1, .left = 0, .right = 1, .leaves = 2}};
  part.result = {2};
  const auto expected = plain(spec, part, 2, 0, 100);
  Oracle oracle(spec, part);
  EXPECT_EQ(std::memcmp(oracle.expected(0, 0, 100), expected.data(), expected.size()), 0);
}

TEST(Oracle, ShowsEveryInputOnce) {
  const DataSpec spec{DataKind::kRandom, Dtype::kFloat64, Op::kSum, 6, 3};
  const ReductionOrder order = test::tree_order(6, 1);
  Oracle oracle(spec, order);
  std::map<int, int> seen;
  oracle.observe([&](int rank, const void* values, size_t count) {
    std::vector<double> expected(count);
    generate(spec, rank, 40, count, expected.data());
    EXPECT_EQ(std::memcmp(values, expected.data(), count * sizeof(double)), 0);
    ++seen[rank];
  });
  oracle.expected(0, 40, 500);
  EXPECT_EQ(seen.size(), 6U);
  for (const auto& [rank, times] : seen) EXPECT_EQ(times, 1) << rank;
}

TEST(Oracle, RefusesABlockTooLong) {
  const ReductionOrder order = rank_order(2, 1);
  Oracle oracle({}, order);
  EXPECT_THROW(oracle.expected(0, 0, Oracle::kMaxBlock + 1), Error);
}

}  // namespace
}  // namespace arb
