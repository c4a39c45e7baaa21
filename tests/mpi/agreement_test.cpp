#include "bench/measure/agreement.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <set>

#include "tests/mpi/world_harness.hpp"

namespace arb {
namespace {

int ranks() { return world().size(); }
int own_rank() { return world().rank(); }

std::string text_of(const Verdict& v) {
  return describe(v) + " " + std::to_string(v.ulps.value_or(-1)) + " " +
         std::to_string(v.max_error_ratio);
}

/// The result of a process that sees the ranks of its node, all of which hold `values`.
struct Result {
  Result(const std::vector<float>& held, const Locality& locality,
         Collective collective = Collective::kAllReduce)
      : values(held), tiling(held.size(), 1, false, 100, 1) {
    spec.collective = collective;
    spec.root = ranks() - 1;
    spec.tiling = &tiling;
    spec.data.ranks = ranks();
    views.resize(static_cast<size_t>(ranks()));
    for (const int rank : locality.near) {
      const auto* at = reinterpret_cast<const std::byte*>(values.data());
      views[static_cast<size_t>(rank)] = {at, at};
    }
  }

  std::vector<float> values;
  Tiling tiling;
  CheckSpec spec;
  std::vector<RankView> views;
};

std::vector<float> numbers(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i) + 0.5f;
  return values;
}

/// Of processes that see nobody else.
struct Far {
  Far() : group(world().group(ranks(), settings_of(Path::kMessages))) {}
  Verdict agree(const Result& result, const Verdict& own = {}) {
    return arb::agree(group->crew(), own, result.spec, result.views);
  }
  const Locality& locality() { return group->runner().locality(); }

  std::unique_ptr<Group> group;
};

TEST(Agreement, EqualResultsAreRight) {
  Far far;
  for (const size_t count : {0, 1, 255, 256, 257, 1000}) {
    EXPECT_EQ(text_of(far.agree(Result(numbers(count), far.locality()))), text_of({}));
  }
}

TEST(Agreement, VerdictsAreMergedAndTheSameEverywhere) {
  Far far;
  Verdict own;
  own.wrong = own_rank();  // rank 0 is right
  own.check = "exact";
  own.rank = own_rank();
  own.index = 100 - own_rank();
  own.wanted = "w" + std::to_string(own_rank());
  own.got = "g" + std::to_string(own_rank());
  if (own_rank() % 2 == 1) own.ulps = own_rank() * 1.5;
  own.max_error_ratio = own_rank() == 1 ? 0.75 : 0.1;
  if (own.ok()) own = {0, {}, -1, -1, {}, {}, {}, own.max_error_ratio};
  const Verdict all = far.agree(Result(numbers(10), far.locality()), own);
  EXPECT_EQ(all.wrong, ranks() * (ranks() - 1) / 2);
  EXPECT_EQ(all.max_error_ratio, ranks() > 1 ? 0.75 : 0.1);
  EXPECT_TRUE(same_everywhere(text_of(all)));
  if (ranks() == 1) return;
  EXPECT_EQ(all.check, "exact");
  EXPECT_EQ(all.rank, 1);
  EXPECT_EQ(all.index, 99);
  EXPECT_EQ(all.wanted, "w1");
  EXPECT_EQ(all.got, "g1");
  EXPECT_EQ(all.ulps, 1.5);
}

TEST(Agreement, ResultsThatNoProcessSeesTogetherAreCompared) {
  if (ranks() < 2) GTEST_SKIP() << "takes two";
  Far far;
  for (const size_t index : {0, 3, 700, 999}) {
    std::vector<float> values = numbers(1000);
    if (own_rank() == 1) values[index] += 1;
    const Verdict all = far.agree(Result(values, far.locality()));
    EXPECT_EQ(all.check, "ranks differ");
    EXPECT_EQ(all.wrong, 1);
    EXPECT_EQ(all.rank, 1);
    EXPECT_EQ(all.index, static_cast<int64_t>(index / 4 * 4)) << "1000 elements in blocks of 4";
    EXPECT_EQ(all.wanted, "the bits of rank 0");
    EXPECT_TRUE(same_everywhere(text_of(all)));
  }
}

TEST(Agreement, EveryDifferingBlockCounts) {
  if (ranks() < 2) GTEST_SKIP() << "takes two";
  Far far;
  std::vector<float> values = numbers(1000);
  if (own_rank() == ranks() - 1) values[500] = values[501] = values[900] = -1;
  const Verdict all = far.agree(Result(values, far.locality()));
  EXPECT_EQ(all.wrong, 2);
  EXPECT_EQ(all.rank, ranks() - 1);
  EXPECT_EQ(all.index, 500);
}

TEST(Agreement, OfANodeOneProcessIsEnough) {
  if (ranks() < 4) GTEST_SKIP() << "takes four";
  const std::vector<int> node_of = contiguous(ranks(), 2);
  const PretendedNodes pretended(node_of);
  const auto group = world().group(ranks(), settings_of(Path::kAuto));
  std::vector<float> values = numbers(1000);
  const int second = node_of[static_cast<size_t>(own_rank())];
  if (second == 1) values[8] = -1;
  const Result result(values, group->runner().locality());
  const Verdict all = agree(group->crew(), {}, result.spec, result.views);
  EXPECT_EQ(all.wrong, 1) << "the difference was counted once for every process";
  EXPECT_EQ(all.rank, (ranks() + 1) / 2);
  EXPECT_EQ(all.index, 8);
}

TEST(Agreement, AnyNanEqualsAnyNan) {
  if (ranks() < 2) GTEST_SKIP() << "takes two";
  Far far;
  std::vector<float> values = numbers(10);
  values[5] =
      own_rank() == 0 ? std::numeric_limits<float>::quiet_NaN() : std::bit_cast<float>(0xffc12345u);
  EXPECT_TRUE(far.agree(Result(values, far.locality())).ok());
  if (own_rank() == 0) values[5] = 1;
  EXPECT_FALSE(far.agree(Result(values, far.locality())).ok()) << "a number and a NaN";
  values[5] = own_rank() == 0 ? 0.0f : -0.0f;
  EXPECT_FALSE(far.agree(Result(values, far.locality())).ok()) << "the bits count";
}

TEST(Agreement, OfOneRootThereIsNothingToCompare) {
  Far far;
  std::vector<float> values = numbers(10);
  if (own_rank() == ranks() - 1) values[3] = 7;
  EXPECT_TRUE(far.agree(Result(values, far.locality(), Collective::kReduce)).ok());
  EXPECT_EQ(far.agree(Result(values, far.locality(), Collective::kBroadcast)).ok(), ranks() == 1);
}

TEST(Digests, EveryElementCountsInItsBlockAlone) {
  const Locality alone{{0}, {0}, {}, {}};
  for (const size_t count : {1, 2, 255, 256, 257, 511, 1000}) {
    Result result(numbers(count), alone);
    result.views.resize(2);  // another rank is elsewhere
    const std::vector<uint64_t> before = digests(result.spec, result.views);
    const size_t block = (count + kDigests - 1) / kDigests;
    ASSERT_EQ(before.size(), (count + block - 1) / block);
    ASSERT_LE(before.size(), kDigests);
    for (size_t i = 0; i < count; ++i) {
      auto bits = std::bit_cast<uint32_t>(result.values[i]);
      result.values[i] = std::bit_cast<float>(bits ^ 1);
      const std::vector<uint64_t> after = digests(result.spec, result.views);
      result.values[i] = std::bit_cast<float>(bits);
      for (size_t b = 0; b < before.size(); ++b) {
        ASSERT_EQ(after[b] != before[b], b == i / block) << count << " elements, element " << i;
      }
    }
  }
}

TEST(Digests, AreNotNeededWhereAllRanksAreSeenOrNoneHasTheWhole) {
  const Locality all = host_locality(ranks());
  EXPECT_TRUE(digests(Result(numbers(10), all).spec, Result(numbers(10), all).views).empty());
  Result parts(numbers(10), host_locality(1), Collective::kReduceScatter);
  const Tiling blocks(10, 2, true, 10, 1);
  parts.spec.tiling = &blocks;
  parts.views.resize(2);
  EXPECT_TRUE(digests(parts.spec, parts.views).empty());
}

}  // namespace
}  // namespace arb
