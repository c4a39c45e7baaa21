// The virtual clock against times worked out by hand. k: bytes of a tile, n: tiles, a: alpha, where
// a byte takes one second.
#include "collectives/schedule/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "collectives/algorithms/registry.hpp"
#include "collectives/error.hpp"
#include "collectives/schedule/lane_builder.hpp"
#include "verify/prove.hpp"

namespace arb {
namespace {

constexpr int kSlots = 4;
constexpr int kUnlimited = std::numeric_limits<int>::max();

Schedule all_reduce(std::string_view algorithm, int ranks) {
  return find_algorithm(Collective::kAllReduce, algorithm)->build(ranks, 0);
}

/// n tiles of k bytes.
Tiling cut(const Schedule& schedule, size_t n, size_t k) {
  return Tiling(n * k, schedule.chunks, false, k, 1);
}

double seconds(const Schedule& schedule, size_t n, size_t k, double a, int slots = kSlots) {
  return virtual_seconds(schedule, cut(schedule, n, k), 1, slots, {a, 1});
}

struct ByHand {
  std::string algorithm;
  int ranks;
  double (*time)(double n, double k, double a);
};

std::ostream& operator<<(std::ostream& out, const ByHand& row) {
  return out << row.algorithm << " of " << row.ranks;
}

class OneAfterTheOther : public testing::TestWithParam<ByHand> {};

// Every tile waits for the one before; only where a rank sends to several, the first of them is
// back before the last has got its own.
TEST_P(OneAfterTheOther, TakesAsLongAsByHand) {
  const Schedule schedule = all_reduce(GetParam().algorithm, GetParam().ranks);
  for (const size_t n : {1, 2, 5}) {
    for (const double a : {0.0, 7.0, 12.5, 1000.0}) {
      const auto tiles = static_cast<double>(n);
      EXPECT_DOUBLE_EQ(seconds(schedule, n, 12, a), GetParam().time(tiles, 12, a))
          << n << " tiles, alpha " << a;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    ByHand, OneAfterTheOther,
    testing::Values(
        // The root receives (N-1)k and then sends (N-1)k. Rank 1 has its result first, so that its
        // next tile comes in while the others still get theirs: N k per tile, not 2(N-1)k.
        ByHand{"naive-root", 2, [](double n, double k, double a) { return n * (2 * a + 2 * k); }},
        ByHand{"naive-root", 3,
               [](double n, double k, double a) { return n * (2 * a + 3 * k) + k; }},
        ByHand{"naive-root", 4,
               [](double n, double k, double a) { return n * (2 * a + 4 * k) + 2 * k; }},
        ByHand{"ring", 2, [](double n, double k, double a) { return n * 2 * (a + k / 2); }},
        ByHand{"ring", 3, [](double n, double k, double a) { return n * 4 * (a + k / 3); }},
        ByHand{"ring", 4, [](double n, double k, double a) { return n * 6 * (a + k / 4); }},
        ByHand{"recursive-doubling", 2, [](double n, double k, double a) { return n * (a + k); }},
        // Rank 0 gets k from rank 2, sends k to rank 1 and then k to rank 2.
        ByHand{"recursive-doubling", 3,
               [](double n, double k, double a) { return n * (2 * a + 3 * k); }},
        ByHand{"recursive-doubling", 4,
               [](double n, double k, double a) { return n * 2 * (a + k); }},
        ByHand{"rabenseifner", 2, [](double n, double k, double a) { return n * 2 * (a + k / 2); }},
        // Rank 2 to 0: k. Ranks 0 and 1, two halves each way; rank 0 to 2: k.
        ByHand{"rabenseifner", 3, [](double n, double k, double a) { return n * (4 * a + 3 * k); }},
        ByHand{"rabenseifner", 4,
               [](double n, double k, double a) { return n * (4 * a + 1.5 * k); }}));

// Alpha is longer than all messages together, so that no two levels of the trees meet at a port.
TEST(Tree, TilesFollowEachOther) {
  constexpr double kAlpha = 1000;
  for (const double n : {1, 2, 5}) {
    const auto tiles = static_cast<size_t>(n);
    const auto time = [&](int ranks) {
      return seconds(all_reduce("tree", ranks), tiles, 12, kAlpha, 8);
    };
    EXPECT_DOUBLE_EQ(time(2), 2 * kAlpha + (1 + n) * 6);
    // Both trees are chains of three: four halves on the way.
    EXPECT_DOUBLE_EQ(time(3), 4 * kAlpha + (3 + n) * 6);
    // A root above a rank with two children: six halves on the way, and two per tile between the
    // rank and its children.
    EXPECT_DOUBLE_EQ(time(4), 4 * kAlpha + (4 + 2 * n) * 6);
  }
}

TEST(Tree, WithoutLatencyThePortsAreAlwaysBusy) {
  for (const size_t n : {1, 2, 5}) {
    EXPECT_EQ(seconds(all_reduce("tree", 2), n, 12, 0), static_cast<double>(n) * 12);
  }
}

// Four tiles are on their way up, the first of them read at 11; then the fifth leaves at 11, is
// there at 22, and its result at 33.
TEST(Tree, TheFifthTileWaitsForASlotOfFour) {
  const Schedule schedule = all_reduce("tree", 2);
  EXPECT_EQ(seconds(schedule, 5, 2, 10, 5), 2 * 10 + 6);
  EXPECT_EQ(seconds(schedule, 5, 2, 10, 4), 3 * 10 + 4);
}

/// Ranks 1 and 2 send to rank 0 at once, and rank 0 answers rank 2 when it has heard of rank 2.
Schedule incast(bool first_long) {
  Schedule schedule(3, 4);
  LaneBuilder(schedule, 0).recv(output(0, first_long ? 3 : 1), 1).recv(output(3), 2);
  LaneBuilder(schedule, 1).send(input(0, first_long ? 3 : 1), 0);
  LaneBuilder(schedule, 2).send(input(3), 0);
  return schedule;
}

TEST(Ports, WhatComesInTogetherIsReceivedInTurn) {
  EXPECT_EQ(seconds(incast(false), 1, 4, 5), 5 + 1 + 1);
  EXPECT_EQ(seconds(incast(true), 1, 4, 5), 5 + 3 + 1);
}

TEST(Ports, ALaneGoesOnWhileItsMessagesWaitForThePort) {
  Schedule schedule(3, 4);  // rank 0 sends 3 to rank 1 and 1 to rank 2, and gets 4 meanwhile
  LaneBuilder(schedule, 0).send(input(0, 3), 1).send(input(3), 2).recv(output(0, 4), 2);
  LaneBuilder(schedule, 1).recv(output(0, 3), 0);
  LaneBuilder(schedule, 2).send(input(0, 4), 0).recv(output(3), 0);
  EXPECT_EQ(seconds(schedule, 1, 4, 5), 5 + 4);
}

TEST(Ports, WhatIsPassedOnKeepsItsSize) {
  Schedule schedule(4, 4);
  LaneBuilder(schedule, 0).send(input(1, 3), 1);
  LaneBuilder(schedule, 1).recv_send(0, 2);
  LaneBuilder(schedule, 2).recv_send(1, 3);
  LaneBuilder(schedule, 3).recv(output(1, 3), 2);
  EXPECT_EQ(seconds(schedule, 1, 4, 5), 3 * (5 + 3));
}

TEST(Ports, LanesOfARankWaitForEvents) {
  Schedule schedule(2, 2);  // what comes first may leave only after what comes second
  LaneBuilder(schedule, 0, "out", 0).send(input(0), 1).send(input(1), 1);
  LaneBuilder(schedule, 1, "in", 0).recv(output(0), 0).recv(output(1), 0).mark(0);
  LaneBuilder(schedule, 1, "back", 1).after(0).send(output(0), 0);
  LaneBuilder(schedule, 0, "end", 1).recv(output(0), 1);
  EXPECT_EQ(seconds(schedule, 1, 2, 5), (5 + 2) + (5 + 1));
}

TEST(Ports, TheLastTileMayBeShort) {
  const Schedule ring = all_reduce("ring", 4);
  const Tiling tiling(2 * 12 + 4, 4, false, 12, 1);
  EXPECT_EQ(virtual_seconds(ring, tiling, 4, kSlots, {5, 1}), 6 * (2 * (5 + 12) + (5 + 4)));
}

TEST(Ports, NothingTakesNoTimeButLatency) {
  for (const Algorithm& row : algorithms()) {
    const Tiling nothing(0, row.build(4, 0).chunks, blocked(row.collective), 16, 1);
    EXPECT_EQ(path_bytes(row.build(4, 0), nothing, 4, kSlots), 0) << row.name;
    EXPECT_EQ(path_bytes(row.build(1, 0), Tiling(64, 1, false, 64, 1), 4, kSlots), 0) << row.name;
  }
}

TEST(Ports, SecondsAreThoseOfTheLink) {
  const Schedule ring = all_reduce("ring", 4);
  const double time = virtual_seconds(ring, cut(ring, 1, 1 << 20), 4, kSlots, {5e-3, 1 / 20e6});
  EXPECT_NEAR(time, 6 * (5e-3 + (1 << 20) / 20e6), 1e-9 * time);
}

TEST(Ports, ADeadlockIsReported) {
  const Schedule ring = all_reduce("ring", 4);
  EXPECT_THROW(virtual_seconds(ring, cut(ring, 1, 8), 1, 1, {1, 1}), Error);
  Schedule torn(2, 1);
  LaneBuilder(torn, 0).send(input(0), 1);
  LaneBuilder(torn, 1).recv(output(0), 0).recv(output(0), 0);
  EXPECT_THROW(virtual_seconds(torn, cut(torn, 1, 8), 1, 1, {1, 1}), Error);
}

TEST(LatencyAlone, IsTheLongestPathOfTheProof) {
  for (const Algorithm& row : algorithms()) {
    for (int ranks = 1; ranks <= 33; ++ranks) {
      const Schedule schedule = row.build(ranks, 0);
      const Proof proof = prove(schedule, row.collective, 0, 1 << 20, false);
      EXPECT_EQ(virtual_seconds(schedule, cut(schedule, 1, 64), 4, kUnlimited, {1, 0}),
                proof.latency_steps)
          << name(row.collective) << ' ' << row.name << ", " << ranks << " ranks";
    }
  }
}

TEST(PathBytes, AreNeverLessThanThoseOfTheBusiestPort) {
  for (const Algorithm& row : algorithms()) {
    for (int ranks = 2; ranks <= 20; ++ranks) {
      const Schedule schedule = row.build(ranks, 0);
      const Proof proof = prove(schedule, row.collective, 0, kSlots, false);
      const auto k = static_cast<size_t>(schedule.chunks) * 12;
      for (const size_t n : {1, 2, 5}) {
        const auto busiest = 12 * static_cast<int64_t>(n) *
                             std::max(proof.max_sent_chunks(), proof.max_received_chunks());
        EXPECT_GE(path_bytes(schedule, cut(schedule, n, k), 1, kSlots), busiest)
            << name(row.collective) << ' ' << row.name << ", " << ranks << " ranks";
      }
    }
  }
}

TEST(PathBytes, FollowTheLawOnOneTile) {
  for (int ranks = 2; ranks <= 64; ++ranks) {
    const auto path = [&](std::string_view algorithm) {
      const Schedule schedule = all_reduce(algorithm, ranks);
      return path_bytes(schedule, cut(schedule, 1, static_cast<size_t>(ranks) * 64), 1, kSlots);
    };
    EXPECT_EQ(path("ring"), 2 * (ranks - 1) * 64);
    EXPECT_EQ(path("naive-root"), 2 * (ranks - 1) * 64 * ranks);
  }
}

/// Message of n tiles, the last one short.
double skipping(const Schedule& schedule, size_t n, double a, Tiles tiles) {
  const auto chunks = static_cast<size_t>(schedule.chunks);
  const Tiling tiling((n - 1) * 256 * chunks + 100 * chunks, schedule.chunks, false, 256 * chunks,
                      1);
  return virtual_seconds(schedule, tiling, 4, kSlots, {a, 1}, tiles);
}

TEST(SkippedTiles, TakeAsLongAsIfTheyWereRun) {
  for (const Algorithm& row : algorithms()) {
    for (const int ranks : {2, 3, 4, 5, 6, 8, 12, 13}) {
      const Schedule schedule = row.build(ranks, ranks - 1);
      for (const size_t n : {2, 7, 100, 301}) {
        for (const double a : {0.0, 700.0, 5000.25}) {
          const double every = skipping(schedule, n, a, Tiles::kEvery);
          // Only where two trees meet at the ports the period may be too long to be found.
          const double error = row.name == "tree" && ranks > 6 ? 0.02 * every : 0;
          EXPECT_NEAR(skipping(schedule, n, a, Tiles::kSkipRepeating), every, error)
              << name(row.collective) << ' ' << row.name << ", " << ranks << " ranks, " << n
              << " tiles, alpha " << a;
        }
      }
    }
  }
}

TEST(SkippedTiles, StayWithinTwoPercentWhereNothingRepeats) {
  for (const int ranks : {7, 15, 16, 24}) {
    const Schedule schedule = all_reduce("tree", ranks);
    for (const double a : {0.0, 3000.0}) {
      const double every = skipping(schedule, 3000, a, Tiles::kEvery);
      EXPECT_NEAR(skipping(schedule, 3000, a, Tiles::kSkipRepeating), every, 0.02 * every)
          << ranks << " ranks, alpha " << a;
    }
  }
}

TEST(SkippedTiles, CostNothing) {
  constexpr size_t kMessage = size_t{1} << 50;  // all tiles would take years
  const Schedule ring = all_reduce("ring", 256);
  const Schedule tree = all_reduce("tree", 6);
  const size_t tile = 256 * 4096;
  EXPECT_EQ(path_bytes(ring, Tiling(kMessage, 256, false, tile, 1), 1, kSlots),
            2 * 255 * static_cast<int64_t>(kMessage / 256));
  const auto path =
      static_cast<double>(path_bytes(tree, Tiling(kMessage, 2, false, tile, 1), 1, kSlots));
  EXPECT_NEAR(path / static_cast<double>(kMessage), 2, 1e-6);
}

TEST(TilingPays, ForPipelinesOnly) {
  for (const Algorithm& row : algorithms()) {
    for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 31}) {
      // Two ranks move both halves at once, each way, in one tile as in many.
      const bool pays = row.name == "tree" && ranks > 2;
      EXPECT_EQ(tiling_pays(row.build(ranks, 0), kSlots), pays)
          << name(row.collective) << ' ' << row.name << ", " << ranks << " ranks";
    }
  }
}

}  // namespace
}  // namespace arb
