// The check on GPUs comes to the verdict of the host's check, in the same words.
#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/error.hpp"
#include "tests/cuda/verify/device_message.hpp"
#include "verify/cuda/check_items.hpp"
#include "verify/cuda/tables.hpp"

namespace arb {
namespace {

using test::DeviceMessage;
using test::MessageSpec;
using test::words;

constexpr FaultKind kDataFaults[] = {
    FaultKind::kFlipBit,     FaultKind::kNan,        FaultKind::kOffByPart,
    FaultKind::kSwapChunks,  FaultKind::kDoubleRank, FaultKind::kLastUnwritten,
    FaultKind::kChangeInput, FaultKind::kOneRank,    FaultKind::kStale};

ReductionOrder order_of(const MessageSpec& spec) {
  if (reduces(spec.collective)) return test::ring_order(spec.data.ranks, spec.chunks);
  ReductionOrder order;
  for (int chunk = 0; chunk < spec.chunks; ++chunk) {
    order.arena.push_back(
        {.rank = contributors(spec.collective, spec.data.ranks, chunk, spec.root).front()});
    order.result.push_back(chunk);
  }
  return order;
}

class CheckTest : public testing::TestWithParam<std::tuple<Dtype, Op, DataKind>> {
 protected:
  MessageSpec spec() const {
    const auto [dtype, op, kind] = GetParam();
    return {.data = {kind, dtype, op, 4, 21}, .count = 1003};
  }
};

TEST_P(CheckTest, RightResultsAreRight) {
  for (const bool knows_order : {true, false}) {
    for (const bool in_place : {true, false}) {
      MessageSpec spec = this->spec();
      spec.in_place = in_place;
      const DeviceMessage message(spec, order_of(spec));
      const Verdict verdict = message.check(knows_order);
      EXPECT_TRUE(verdict.ok()) << words(verdict);
      EXPECT_TRUE(message.check(knows_order, 3).ok());
    }
  }
}

TEST_P(CheckTest, FaultsAreNamedAsTheHostNamesThem) {
  for (const FaultKind kind : kDataFaults) {
    if (kind == FaultKind::kNan && !is_float(spec().data.dtype)) continue;
    for (const bool knows_order : {true, false}) {
      DeviceMessage message(spec(), order_of(spec()));
      message.inject({.kind = kind, .rank = 2}, knows_order);
      ASSERT_TRUE(message.equals_host()) << static_cast<int>(kind);
      const Verdict wanted = message.host().check(knows_order);
      EXPECT_FALSE(wanted.ok());
      EXPECT_EQ(words(message.check(knows_order)), words(wanted)) << static_cast<int>(kind);
      EXPECT_EQ(words(message.check(knows_order, 2)), words(wanted)) << static_cast<int>(kind);
    }
  }
}

std::vector<std::tuple<Dtype, Op, DataKind>> all_data() {
  std::vector<std::tuple<Dtype, Op, DataKind>> all;
  for (const Dtype dtype : kDtypes) {
    for (const Op op : kOps) {
      if (unsupported(dtype, op)) continue;
      for (const DataKind kind : {DataKind::kExact, DataKind::kRandom}) {
        all.emplace_back(dtype, op, kind);
      }
    }
  }
  return all;
}

std::string label(const testing::TestParamInfo<std::tuple<Dtype, Op, DataKind>>& which) {
  const auto [dtype, op, kind] = which.param;
  return test::label({kind, dtype, op, 4, 0});
}

INSTANTIATE_TEST_SUITE_P(All, CheckTest, testing::ValuesIn(all_data()), label);

TEST(DeviceCheck, EveryCollectiveRootAndAliasing) {
  for (const Collective collective : kCollectives) {
    for (const bool in_place : {false, true}) {
      for (int root = 0; root < (has_root(collective) ? 4 : 1); ++root) {
        const MessageSpec spec{.collective = collective,
                               .data = {DataKind::kRandom, Dtype::kFloat32, Op::kSum, 4, 8},
                               .root = root,
                               .in_place = in_place};
        for (const FaultKind kind :
             {FaultKind::kNothing, FaultKind::kFlipBit, FaultKind::kLastUnwritten,
              FaultKind::kPastEnd, FaultKind::kOneRank, FaultKind::kStale}) {
          DeviceMessage message(spec, order_of(spec), 3);
          message.inject({.kind = kind});
          ASSERT_TRUE(message.equals_host()) << name(collective) << static_cast<int>(kind);
          EXPECT_EQ(words(message.check()), words(message.host().check())) << name(collective);
          const bool data = kind != FaultKind::kNothing && kind != FaultKind::kPastEnd;
          EXPECT_EQ(message.check().ok(), !data) << name(collective) << static_cast<int>(kind);
        }
      }
    }
  }
}

TEST(DeviceCheck, OneElementIsFoundWhereverItIs) {
  // Chunks of several pieces, a short last tile, and pieces that end within a block.
  const MessageSpec spec{.data = {DataKind::kRandom, Dtype::kInt8, Op::kSum, 2, 3},
                         .count = 30001,
                         .chunks = 2,
                         .tile = 20000};
  DeviceMessage message(spec, rank_order(2, 2));
  ASSERT_EQ(words(message.check()), words({}));
  for (const size_t index : {0, 4095, 4096, 9999, 10000, 14096, 19999, 20000, 25000, 30000}) {
    for (const bool of_output : {true, false}) {
      message.flip(1, of_output, index);
      const Verdict verdict = message.check();
      EXPECT_EQ(verdict.wrong, 1);
      EXPECT_EQ(verdict.rank, 1);
      EXPECT_EQ(verdict.index, static_cast<int64_t>(index));
      EXPECT_EQ(verdict.check, of_output ? "exact" : "input changed");
      message.flip(1, of_output, index);
    }
  }
}

TEST(DeviceCheck, RanksThatAreElsewhereAreLeftOut) {
  const MessageSpec spec{.data = {DataKind::kExact, Dtype::kFloat32, Op::kSum, 4, 3}};
  DeviceMessage message(spec, rank_order(4, 4));
  message.flip(2, true, 0);
  std::vector<RankView> views = message.views();
  views[2] = {};
  EXPECT_TRUE(message.tools().check(message.host().check_spec(), views, 0, 1).ok());
  views = message.views();
  views[0] = views[1] = views[3] = {};
  EXPECT_EQ(message.tools().check(message.host().check_spec(), views, 0, 1).wrong, 1);
}

TEST(DeviceCheck, AnOrderTooDeepForKernelsIsLeftToTheHost) {
  const MessageSpec spec{
      .data = {DataKind::kRandom, Dtype::kFloat32, Op::kSum, 256, 3}, .count = 200, .chunks = 1};
  DeviceMessage message(spec, test::tree_order(256, 1));
  EXPECT_EQ(words(message.check()), words({}));
  message.inject({.kind = FaultKind::kFlipBit, .rank = 77});
  EXPECT_EQ(words(message.check()), words(message.host().check()));
  EXPECT_FALSE(message.check().ok());
}

TEST(DeviceCheck, AnOrderThatMissesAnInputIsRefused) {
  const MessageSpec spec{.data = {DataKind::kExact, Dtype::kFloat32, Op::kSum, 3, 3}};
  const DeviceMessage message(spec, rank_order(2, 4));
  EXPECT_THROW(message.check(), Error);
}

TEST(DeviceCheck, MoreRanksThanOneLaunchTakes) {
  const MessageSpec spec{
      .data = {DataKind::kRandom, Dtype::kFloat32, Op::kSum, 70, 3}, .count = 300, .chunks = 2};
  DeviceMessage message(spec, test::ring_order(70, 2), 1);
  EXPECT_EQ(words(message.check()), words({}));
  message.inject({.kind = FaultKind::kStale});
  EXPECT_EQ(words(message.check()), words(message.host().check()));
}

TEST(DeviceCheck, AnEmptyMessageIsRight) {
  for (const size_t count : {0, 1, 3}) {
    const MessageSpec spec{.data = {DataKind::kRandom, Dtype::kFloat64, Op::kAvg, 3, 3},
                           .count = count};
    EXPECT_EQ(words(DeviceMessage(spec, rank_order(3, 4)).check()), words({}));
  }
}

TEST(CheckItems, CoverEveryElementOnce) {
  for (const bool in_blocks : {false, true}) {
    for (const size_t count : {size_t{0}, size_t{12}, size_t{1200}, size_t{100000}}) {
      for (const size_t stride : {1, 2, 5}) {
        const Tiling tiling(count, 4, in_blocks, 40000, 8);
        std::vector<int> seen(count);
        for (size_t worker = 0; worker < stride; ++worker) {
          const CheckItems items(tiling, worker, stride);
          for (uint64_t number = 0; number < items.count(); ++number) {
            const Range part = items.item(number).part;
            EXPECT_LE(part.size, items.largest());
            for (size_t i = 0; i < part.size; ++i) ++seen[part.begin + i];
          }
        }
        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<long>(count));
      }
    }
  }
}

}  // namespace
}  // namespace arb
