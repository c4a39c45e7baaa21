#include "bench/plan.hpp"

#include <gtest/gtest.h>

#include "bench/sizes.hpp"
#include "refusal.hpp"

namespace arb {
namespace {

constexpr uint64_t kGib = uint64_t{1} << 30;
constexpr Machine kLarge{2, kGib << 20};

Options options(std::vector<uint64_t> sizes, std::vector<int> ranks = {2}) {
  Options result;
  result.sizes = std::move(sizes);
  result.ranks = std::move(ranks);
  return result;
}

TEST(DefaultRanks, ArePowersOfTwoUpToTheCores) {
  EXPECT_EQ(default_ranks(1), (std::vector<int>{2, 4}));
  EXPECT_EQ(default_ranks(2), (std::vector<int>{2, 4}));
  EXPECT_EQ(default_ranks(12), (std::vector<int>{2, 4, 8}));
  EXPECT_EQ(default_ranks(64), (std::vector<int>{2, 4, 8, 16, 32, 64}));
}

TEST(Plan, RoundsDownToElementsAndKeepsTheRequest) {
  const auto cases = plan(options({10}), kLarge, {});
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].count, 2U);
  EXPECT_EQ(cases[0].bytes, 8U);
  EXPECT_EQ(cases[0].requested_bytes, 10U);
  EXPECT_EQ(cases[0].skip, "");
}

TEST(Plan, OrdersByRanksThenSizeThenPlace) {
  Options o = options({8, 16}, {2, 4});
  o.place = Place::kBoth;
  const auto cases = plan(o, kLarge, {});
  ASSERT_EQ(cases.size(), 8U);
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(cases[i].ranks, i < 4 ? 2 : 4);
    EXPECT_EQ(cases[i].bytes, i % 4 < 2 ? 8U : 16U);
    EXPECT_EQ(cases[i].in_place, i % 2 == 1);
  }
}

TEST(Plan, KeepsOneOfSizesThatRoundAlike) {
  const auto cases = plan(options({0, 1, 2, 4, 6, 8, 9}), kLarge, {});
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[0].count, 0U);
  EXPECT_EQ(cases[0].requested_bytes, 0U);
  EXPECT_EQ(cases[1].requested_bytes, 4U);
  EXPECT_EQ(cases[2].requested_bytes, 8U);
}

TEST(Plan, RoundsBlockedCollectivesToMultiplesOfTheRanks) {
  Options o = options({100}, {3, 7});
  for (const Collective collective : {Collective::kReduceScatter, Collective::kAllGather}) {
    o.collective = collective;
    const auto cases = plan(o, kLarge, {});
    ASSERT_EQ(cases.size(), 2U);
    EXPECT_EQ(cases[0].count, 24U);
    EXPECT_EQ(cases[1].count, 21U);
    EXPECT_EQ(cases[1].bytes, 84U);
  }
}

TEST(Plan, KeepsLargeSizesExact) {
  const auto cases = plan(options({3221225472, 4294967296, 5368709120}), kLarge, {});
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[0].bytes, 3221225472U);
  EXPECT_EQ(cases[1].bytes, 4294967296U);
  EXPECT_EQ(cases[2].bytes, 5368709120U);
  EXPECT_EQ(cases[2].needed_bytes, 4 * 5368709120U);
}

TEST(Plan, CountsTheMemoryOfEveryCollective) {
  EXPECT_EQ(buffer_bytes(Collective::kAllReduce, 100, 4, false), 800U);
  EXPECT_EQ(buffer_bytes(Collective::kAllReduce, 100, 4, true), 400U);
  EXPECT_EQ(buffer_bytes(Collective::kReduceScatter, 100, 4, false), 500U);
  EXPECT_EQ(buffer_bytes(Collective::kAllGather, 100, 4, false), 500U);
  EXPECT_EQ(buffer_bytes(Collective::kAllGather, 100, 4, true), 400U);
  EXPECT_EQ(buffer_bytes(Collective::kBroadcast, 100, 4, false), 800U);
  EXPECT_EQ(buffer_bytes(Collective::kAllReduce, kLargestSize, 4096, false), UINT64_MAX);
}

TEST(Plan, CountsColdSetsGuardsAndSlots) {
  EXPECT_EQ(buffer_sets(100, 0), 1U);
  EXPECT_EQ(buffer_sets(100, 1000), 12U);
  EXPECT_EQ(buffer_sets(5000, 1000), 2U);
  EXPECT_EQ(buffer_sets(0, 1000000), kMostSets);
  Footprint footprint;
  footprint.rotate_bytes = 160;
  footprint.around_bytes = 10;
  footprint.runner_bytes = [](int ranks, uint64_t bytes, bool) {
    return static_cast<uint64_t>(ranks) * bytes;
  };
  const auto cases = plan(options({8}), kLarge, footprint);
  // 2 ranks, 32 bytes a set, 7 sets, 4 buffers with 10 around each, 16 in the runner
  EXPECT_EQ(cases.at(0).needed_bytes, 7U * (32 + 40) + 16);
}

std::string skip(const Options& o, uint64_t memory, const Footprint& footprint = {}) {
  return plan(o, {2, memory}, footprint).back().skip;
}

TEST(Plan, SkipsWithTheRemediesThatHelp) {
  Options o = options({4 * kGib}, {4});
  EXPECT_EQ(skip(o, 21 * kGib), "needs 32.0 GiB, 21.0 GiB usable; try --in-place or fewer ranks");
  EXPECT_EQ(skip(o, 15 * kGib), "needs 32.0 GiB, 15.0 GiB usable; try smaller sizes");
  EXPECT_EQ(skip(o, 32 * kGib), "");
  o.place = Place::kInPlace;
  EXPECT_EQ(skip(o, 15 * kGib), "needs 16.0 GiB, 15.0 GiB usable; try fewer ranks");
  Options two = options({4 * kGib}, {2});
  EXPECT_EQ(skip(two, 15 * kGib), "needs 16.0 GiB, 15.0 GiB usable; try --in-place");
  Footprint cold;
  cold.rotate_bytes = kGib;
  EXPECT_EQ(skip(two, 17 * kGib, cold),
            "needs 32.0 GiB, 17.0 GiB usable; try --in-place or --cache hot");
}

TEST(Plan, StrictRefusesWhatWouldBeSkipped) {
  Options o = options({8, 4 * kGib}, {2});
  o.strict = true;
  expect_refused(
      [&] {
        plan(o, {2, kGib}, {});
      },
      ErrorKind::kEnvironment, {"--strict: 1 of 2 cases", "4GB on 2 ranks", "needs 16.0 GiB"});
  EXPECT_EQ(plan(o, kLarge, {}).size(), 2U);
}

TEST(Plan, DefaultRanksHaveTheRoot) {
  Options o = options({8}, {});
  o.root = 2;
  const auto cases = plan(o, kLarge, {});
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].ranks, 4);
  o.root = 4;
  expect_usage([&] { plan(o, kLarge, {}); }, {"--root 4", "--ranks 5"});
}

}  // namespace
}  // namespace arb
