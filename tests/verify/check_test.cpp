// Right results pass, whatever the collective, type, operator, data, order and tiling.
#include "verify/check.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "collectives/error.hpp"
#include "tests/verify/message.hpp"
#include "verify/oracle.hpp"

namespace arb {
namespace {

using test::Message;
using test::MessageSpec;

DataSpec data_of(const std::tuple<Dtype, Op, DataKind>& which, int ranks = 0) {
  const auto [dtype, op, kind] = which;
  return {kind, dtype, op, ranks, 99};
}

class CheckTest : public testing::TestWithParam<std::tuple<Dtype, Op, DataKind>> {
 protected:
  DataSpec data(int ranks) const { return data_of(GetParam(), ranks); }
  bool refused() const {
    return unsupported(std::get<0>(GetParam()), std::get<1>(GetParam())).has_value();
  }
};

void expect_right(const MessageSpec& spec, const ReductionOrder& order) {
  const Message message(spec, order);
  for (const bool knows_order : {true, false}) {
    const Verdict verdict = message.check(knows_order);
    ASSERT_TRUE(verdict.ok()) << name(spec.collective) << ' ' << test::label(spec.data) << " order "
                              << knows_order << ": " << verdict.wrong << " wrong, " << verdict.check
                              << ", rank " << verdict.rank << ", index " << verdict.index
                              << ", wanted " << verdict.wanted << ", got " << verdict.got;
    ASSERT_LE(verdict.max_error_ratio, 1);
  }
}

TEST_P(CheckTest, RightResultsPass) {
  if (refused()) return;
  for (const int ranks : {1, 2, 3, 8}) {
    for (const Collective collective : kCollectives) {
      for (const bool in_place : {false, true}) {
        MessageSpec spec{
            .collective = collective, .data = data(ranks), .tile = 300, .in_place = in_place};
        spec.chunks = ranks;
        spec.count = static_cast<size_t>(ranks) * 130;
        spec.root = ranks - 1;
        if (!reduces(collective)) {
          expect_right(spec, plain_order(collective, ranks, ranks, spec.root));
          continue;
        }
        expect_right(spec, rank_order(ranks, ranks));
        expect_right(spec, test::ring_order(ranks, ranks));
        expect_right(spec, test::tree_order(ranks, ranks));
      }
    }
  }
}

TEST_P(CheckTest, EmptyAndTinyMessagesPass) {
  if (refused()) return;
  for (const size_t count : {0, 1, 2, 3, 5}) {
    expect_right({.data = data(4), .count = count}, test::ring_order(4, 4));
  }
}

TEST_P(CheckTest, BlocksLongerThanOneOraclesBlockPass) {
  if (refused()) return;
  expect_right({.data = data(2), .count = 3 * Oracle::kMaxBlock + 5, .chunks = 1, .tile = 1 << 20},
               rank_order(2, 1));
}

INSTANTIATE_TEST_SUITE_P(All, CheckTest,
                         testing::Combine(testing::ValuesIn(kDtypes), testing::ValuesIn(kOps),
                                          testing::Values(DataKind::kExact, DataKind::kRandom,
                                                          DataKind::kExtreme)),
                         [](const auto& which) { return test::label(data_of(which.param)); });

TEST(Check, RandomFloatsReportHowNearTheBoundTheyCame) {
  for (const Dtype dtype : kDtypes) {
    if (!is_float(dtype)) continue;
    for (const Op op : {Op::kSum, Op::kProd, Op::kAvg}) {
      const Message message({.data = {DataKind::kRandom, dtype, op, 4, 1}}, rank_order(4, 4));
      for (const bool knows_order : {true, false}) {
        const Verdict verdict = message.check(knows_order);
        EXPECT_GT(verdict.max_error_ratio, 0.05) << test::label(message.check_spec().data);
        EXPECT_LE(verdict.max_error_ratio, 1);
      }
    }
  }
}

TEST(Check, AnotherOrderThanTheDeclaredOneIsSeen) {
  for (const Dtype dtype : kDtypes) {
    if (!is_float(dtype)) continue;
    const MessageSpec spec{.data = {DataKind::kRandom, dtype, Op::kSum, 8, 1}};
    Message ring(spec, test::ring_order(8, 4));
    const Message tree(spec, test::tree_order(8, 4));
    CheckSpec check = tree.check_spec();
    std::vector<RankView> views;
    views.reserve(8);
    for (int rank = 0; rank < 8; ++rank) views.push_back({ring.input(rank), ring.output(rank)});
    const Verdict verdict = check_tile(check, views, 0);
    EXPECT_EQ(verdict.check, "oracle") << name(dtype);
    EXPECT_TRUE(verdict.ulps.has_value());
    EXPECT_LE(verdict.max_error_ratio, 1) << "and yet it is within the bound";
  }
}

TEST(Check, AnOrderThatCountsARankTwiceIsRefused) {
  const DataSpec data{DataKind::kExact, Dtype::kInt32, Op::kSum, 4, 1};
  ReductionOrder order = rank_order(4, 4);
  for (Expression& expression : order.arena) {
    if (expression.rank == 3) expression.rank = 0;
  }
  const Message doubled({.data = data}, order);
  EXPECT_THROW(doubled.check(), Error);
  const Message missing({.data = data}, rank_order(3, 4));
  EXPECT_THROW(missing.check(), Error);
}

TEST(Check, RanksThatAreElsewhereAreLeftOut) {
  Message message({.data = {DataKind::kRandom, Dtype::kFloat32, Op::kSum, 4, 1}}, rank_order(4, 4));
  std::vector<RankView> views(4);
  views[2] = {message.input(2), message.output(2)};
  EXPECT_TRUE(check_tile(message.check_spec(), views, 0).ok());
  message.inject({.kind = FaultKind::kOneRank, .rank = 2});
  EXPECT_EQ(check_tile(message.check_spec(), views, 0).rank, 2);
}

}  // namespace
}  // namespace arb
