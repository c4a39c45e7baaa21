#include "collectives/schedule/collective.hpp"

#include <gtest/gtest.h>

#include "collectives/schedule/facts.hpp"

namespace arb {
namespace {

TEST(Collective, EveryOutputComesFromInputsThatExist) {
  for (const Collective collective : kCollectives) {
    for (int ranks = 1; ranks <= 5; ++ranks) {
      for (int root = 0; root < (has_root(collective) ? ranks : 1); ++root) {
        for (int chunk = 0; chunk < ranks; ++chunk) {
          const auto from = contributors(collective, ranks, chunk, root);
          EXPECT_EQ(from.size(), reduces(collective) ? static_cast<size_t>(ranks) : 1U);
          for (const int rank : from) EXPECT_TRUE(has_input(collective, rank, chunk, root));
          int owners = 0;
          for (int rank = 0; rank < ranks; ++rank)
            owners += has_output(collective, rank, chunk, root);
          const bool one =
              collective == Collective::kReduceScatter || collective == Collective::kReduce;
          EXPECT_EQ(owners, one ? 1 : ranks) << name(collective);
        }
      }
    }
  }
}

TEST(Collective, BusFactors) {
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kAllReduce, 2), 1.0);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kAllReduce, 4), 1.5);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kAllReduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kReduceScatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kAllGather, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kBroadcast, 4), 1.0);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kReduce, 4), 1.0);
  for (const Collective collective : kCollectives) EXPECT_EQ(bus_factor(collective, 1), 0);
}

TEST(RankOrder, IsALeftLeaningChain) {
  const ReductionOrder order = rank_order(4, 3);
  ASSERT_EQ(order.result.size(), 3U);
  int id = order.result[2];
  for (int rank = 3; rank >= 1; --rank) {
    const Expression& sum = order.arena[static_cast<size_t>(id)];
    EXPECT_EQ(sum.leaves, rank + 1);
    EXPECT_LT(sum.left, id);
    EXPECT_LT(sum.right, id);
    EXPECT_EQ(order.arena[static_cast<size_t>(sum.right)].rank, rank);
    id = sum.left;
  }
  EXPECT_EQ(order.arena[static_cast<size_t>(id)].rank, 0);
  EXPECT_EQ(rank_order(1, 1).result[0], 0);
}

}  // namespace
}  // namespace arb
