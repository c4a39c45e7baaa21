// The seed law in numbers: steps and bytes of every algorithm, as functions of the rank count.
#include <gtest/gtest.h>

#include <bit>

#include "collectives/algorithms/registry.hpp"
#include "verify/prove.hpp"

namespace arb {
namespace {

int ceil_log2(int n) { return static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1))); }
int floor_log2(int n) { return static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1; }
bool power_of_two(int n) { return std::has_single_bit(static_cast<unsigned>(n)); }

Proof proved(Collective collective, std::string_view algorithm, int ranks, int root = 0) {
  const Algorithm& row = *find_algorithm(collective, algorithm);
  Proof proof = prove(row.build(ranks, root), collective, root, row.min_slots, false);
  EXPECT_TRUE(proof.ok());
  return proof;
}

TEST(Traffic, NaiveRootPutsAllOnTheRoot) {
  for (int ranks = 2; ranks <= 33; ++ranks) {
    const Proof proof = proved(Collective::kAllReduce, "naive-root", ranks);
    EXPECT_EQ(proof.latency_steps, 2);
    EXPECT_EQ(proof.chunks, 1);
    EXPECT_EQ(proof.traffic[0].sent_chunks, ranks - 1);
    EXPECT_EQ(proof.traffic[0].received_chunks, ranks - 1);
    for (size_t rank = 1; rank < proof.traffic.size(); ++rank) {
      EXPECT_EQ(proof.traffic[rank].sent_chunks, 1);
      EXPECT_EQ(proof.traffic[rank].received_chunks, 1);
    }
    EXPECT_DOUBLE_EQ(proof.traffic_factor(), ranks - 1);
  }
}

TEST(Traffic, RingSendsTheLowerBoundFromEveryRank) {
  for (int ranks = 2; ranks <= 64; ++ranks) {
    const Proof proof = proved(Collective::kAllReduce, "ring", ranks);
    EXPECT_EQ(proof.latency_steps, 2 * (ranks - 1));
    EXPECT_EQ(proof.chunks, ranks);
    for (const RankTraffic& rank : proof.traffic) {
      EXPECT_EQ(rank.sent_chunks, 2 * (ranks - 1));
      EXPECT_EQ(rank.received_chunks, 2 * (ranks - 1));
    }
    EXPECT_DOUBLE_EQ(proof.traffic_factor(), 2.0 * (ranks - 1) / ranks);
    for (const Collective half : {Collective::kReduceScatter, Collective::kAllGather}) {
      const Proof part = proved(half, "ring", ranks);
      EXPECT_EQ(part.latency_steps, ranks - 1);
      for (const RankTraffic& rank : part.traffic) {
        EXPECT_EQ(rank.sent_chunks, ranks - 1);
        EXPECT_EQ(rank.received_chunks, ranks - 1);
      }
    }
  }
}

TEST(Traffic, TreeIsLogarithmicallyDeep) {
  for (int ranks = 2; ranks <= 1024; ++ranks) {
    const Proof proof = proved(Collective::kAllReduce, "tree", ranks);
    EXPECT_EQ(proof.latency_steps, 2 * ceil_log2(ranks)) << ranks;
    EXPECT_LE(proof.traffic_factor(), 2.0) << ranks;
  }
}

TEST(Traffic, RootedTreesAddOneLevelAboveTwoTrees) {
  for (int ranks = 2; ranks <= 130; ++ranks) {
    for (const int root : {0, ranks - 1}) {
      for (const Collective collective : {Collective::kBroadcast, Collective::kReduce}) {
        const Proof proof = proved(collective, "tree", ranks, root);
        EXPECT_EQ(proof.latency_steps, 1 + (ranks > 2 ? ceil_log2(ranks - 1) : 0)) << ranks;
        EXPECT_LE(proof.traffic_factor(), 1.0) << ranks;
        const RankTraffic& at_root = proof.traffic[static_cast<size_t>(root)];
        EXPECT_EQ(at_root.sent_chunks + at_root.received_chunks, 2) << "the root moves K once";
      }
    }
  }
}

TEST(Traffic, RootedNaiveIsOneStep) {
  for (int ranks = 2; ranks <= 33; ++ranks) {
    const Proof out = proved(Collective::kBroadcast, "naive-root", ranks, ranks - 1);
    EXPECT_EQ(out.latency_steps, 1);
    EXPECT_EQ(out.traffic.back().sent_chunks, ranks - 1);
    const Proof in = proved(Collective::kReduce, "naive-root", ranks, ranks - 1);
    EXPECT_EQ(in.latency_steps, 1);
    EXPECT_EQ(in.traffic.back().received_chunks, ranks - 1);
    EXPECT_EQ(in.traffic.back().sent_chunks, 0);
  }
}

TEST(Traffic, RecursiveDoublingExchangesEverythingLogTimes) {
  for (int ranks = 2; ranks <= 130; ++ranks) {
    const Proof proof = proved(Collective::kAllReduce, "recursive-doubling", ranks);
    const int fold = power_of_two(ranks) ? 0 : 1;
    // The folded contribution may arrive while the core still exchanges others.
    EXPECT_GE(proof.latency_steps, floor_log2(ranks) + fold) << ranks;
    EXPECT_LE(proof.latency_steps, floor_log2(ranks) + 2 * fold) << ranks;
    EXPECT_EQ(proof.max_sent_chunks(), floor_log2(ranks) + fold) << ranks;
  }
}

TEST(Traffic, RabenseifnerHasTheRingsBytesInLogarithmicSteps) {
  for (int ranks = 2; ranks <= 130; ++ranks) {
    const Proof proof = proved(Collective::kAllReduce, "rabenseifner", ranks);
    const int core = 1 << floor_log2(ranks);
    const int fold = power_of_two(ranks) ? 0 : 1;
    EXPECT_EQ(proof.chunks, core);
    EXPECT_EQ(proof.latency_steps, 2 * floor_log2(ranks) + 2 * fold) << ranks;
    EXPECT_EQ(proof.max_sent_chunks(), 2 * (core - 1) + fold * core) << ranks;
    EXPECT_EQ(proof.max_received_chunks(), 2 * (core - 1) + fold * core) << ranks;
  }
}

TEST(Traffic, OneRankMovesNothing) {
  for (const Algorithm& row : algorithms()) {
    const Proof proof = proved(row.collective, row.name, 1);
    EXPECT_EQ(proof.latency_steps, 0) << row.name;
    EXPECT_EQ(proof.traffic_factor(), 0) << row.name;
  }
}

}  // namespace
}  // namespace arb
