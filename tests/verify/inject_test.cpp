// Every fault is seen by the check that is meant for it, with the exact count and the first place.
#include "verify/inject.hpp"

#include <gtest/gtest.h>

#include "collectives/error.hpp"
#include "tests/verify/message.hpp"

namespace arb {
namespace {

using test::Message;
using test::MessageSpec;

DataSpec data_of(const std::tuple<Dtype, Op, DataKind>& which, int ranks = 0) {
  const auto [dtype, op, kind] = which;
  return {kind, dtype, op, ranks, 21};
}

class InjectTest : public testing::TestWithParam<std::tuple<Dtype, Op, DataKind>> {
 protected:
  MessageSpec spec() const { return {.data = data_of(GetParam(), 4), .count = 1003}; }
  bool refused() const {
    return unsupported(std::get<0>(GetParam()), std::get<1>(GetParam())).has_value();
  }
  /// Floats whose rounding shows are held to the oracle; all others to the one right result.
  std::string reference() const {
    const auto [dtype, op, kind] = GetParam();
    const bool rounds = is_float(dtype) && op != Op::kMin && op != Op::kMax;
    return rounds && kind == DataKind::kRandom ? "oracle" : "exact";
  }
};

TEST_P(InjectTest, DataFaultsOfTheOutputs) {
  if (refused()) return;
  for (const FaultKind kind : {FaultKind::kFlipBit, FaultKind::kNan, FaultKind::kOffByPart,
                               FaultKind::kSwapChunks, FaultKind::kDoubleRank,
                               FaultKind::kLastUnwritten, FaultKind::kOneRank, FaultKind::kStale}) {
    if (kind == FaultKind::kNan && !is_float(spec().data.dtype)) continue;
    Message message(spec(), test::ring_order(4, 4));
    message.inject({.kind = kind, .rank = 2});
    const auto difference = message.difference();
    ASSERT_GT(difference.elements, 0) << static_cast<int>(kind);
    const Verdict verdict = message.check();
    EXPECT_EQ(verdict.wrong, difference.elements) << static_cast<int>(kind);
    EXPECT_EQ(verdict.rank, difference.rank);
    EXPECT_EQ(verdict.index, difference.index);
    EXPECT_EQ(verdict.check, reference());
    EXPECT_NE(verdict.wanted, verdict.got);
  }
}

TEST_P(InjectTest, WithoutAKnownOrderTheBoundOrTheOtherRanksTell) {
  if (refused()) return;
  for (const FaultKind kind : {FaultKind::kFlipBit, FaultKind::kOneRank}) {
    Message message(spec(), test::tree_order(4, 4));
    message.inject({.kind = kind, .rank = 2}, false);
    const auto difference = message.difference();
    const Verdict verdict = message.check(false);
    EXPECT_EQ(verdict.wrong, difference.elements);
    EXPECT_EQ(verdict.rank, 2);
    EXPECT_EQ(verdict.index, difference.index);
    if (reference() == "oracle") {
      EXPECT_TRUE(verdict.check == "ranks differ" || verdict.check == "bound") << verdict.check;
    }
  }
  for (const FaultKind kind : {FaultKind::kSwapChunks, FaultKind::kDoubleRank, FaultKind::kStale}) {
    Message message(spec(), test::tree_order(4, 4));
    message.inject({.kind = kind}, false);
    const Verdict verdict = message.check(false);
    EXPECT_GT(verdict.wrong, 0) << static_cast<int>(kind);
    EXPECT_LE(verdict.wrong, message.difference().elements);
    EXPECT_EQ(verdict.check, reference() == "oracle" ? "bound" : "exact");
  }
}

INSTANTIATE_TEST_SUITE_P(All, InjectTest,
                         testing::Combine(testing::ValuesIn(kDtypes), testing::ValuesIn(kOps),
                                          testing::Values(DataKind::kExact, DataKind::kRandom)),
                         [](const auto& which) { return test::label(data_of(which.param)); });

TEST(Inject, EveryCollectiveShowsWhatItCan) {
  for (const Collective collective : kCollectives) {
    for (const bool in_place : {false, true}) {
      const MessageSpec spec{.collective = collective,
                             .data = {DataKind::kRandom, Dtype::kFloat32, Op::kSum, 4, 8},
                             .root = 2,
                             .in_place = in_place};
      const ReductionOrder order =
          reduces(collective)
              ? test::ring_order(4, 4)
              : ReductionOrder{{{.rank = 0}, {.rank = 1}, {.rank = 2}, {.rank = 3}},
                               collective == Collective::kBroadcast ? std::vector<int>{2, 2, 2, 2}
                                                                    : std::vector<int>{0, 1, 2, 3}};
      for (const FaultKind kind :
           {FaultKind::kFlipBit, FaultKind::kNan, FaultKind::kOffByPart, FaultKind::kSwapChunks,
            FaultKind::kLastUnwritten, FaultKind::kOneRank, FaultKind::kStale}) {
        Message message(spec, order);
        ASSERT_TRUE(message.check().ok()) << name(collective);
        message.inject({.kind = kind});
        EXPECT_EQ(message.check().wrong, message.difference().elements) << name(collective);
        EXPECT_FALSE(message.check().ok()) << name(collective) << ' ' << static_cast<int>(kind);
      }
    }
  }
}

TEST(Inject, PastTheEndOfAPart) {
  // Reduce-scatter: rank 1 owns elements 250..499; out of place the next byte is a guard.
  Message message({.collective = Collective::kReduceScatter,
                   .data = {DataKind::kExact, Dtype::kFloat32, Op::kSum, 4, 8}},
                  rank_order(4, 4));
  const std::byte before = *message.output(1, 500);
  message.inject({.kind = FaultKind::kPastEnd, .rank = 1});
  EXPECT_NE(*message.output(1, 500), before);
  EXPECT_TRUE(message.check().ok());
}

TEST(Inject, RunTimeFaultsLeaveTheDataAlone) {
  for (const FaultKind kind :
       {FaultKind::kNothing, FaultKind::kStall, FaultKind::kDelay, FaultKind::kSlow}) {
    Message message({.data = {DataKind::kExact, Dtype::kInt32, Op::kSum, 2, 8}}, rank_order(2, 4));
    message.inject({.kind = kind});
    EXPECT_TRUE(message.check().ok());
  }
}

TEST(Inject, WhatCannotBeInjectedIsRefused) {
  const MessageSpec integers{.data = {DataKind::kExact, Dtype::kInt32, Op::kSum, 2, 8}};
  Message message(integers, rank_order(2, 4));
  EXPECT_THROW(message.inject({.kind = FaultKind::kNan}), Error);
  EXPECT_THROW(message.inject({.kind = FaultKind::kFlipBit, .rank = 2}), Error);
  EXPECT_THROW(message.inject({.kind = FaultKind::kChangeInput, .rank = 2}), Error);
  MessageSpec in_place = integers;
  in_place.in_place = true;
  EXPECT_THROW(Message(in_place, rank_order(2, 4)).inject({.kind = FaultKind::kChangeInput}),
               Error);
  MessageSpec tiny = integers;
  tiny.count = 1;
  EXPECT_THROW(Message(tiny, rank_order(2, 4)).inject({.kind = FaultKind::kSwapChunks}), Error);
  MessageSpec empty = integers;
  empty.count = 0;
  EXPECT_THROW(Message(empty, rank_order(2, 4)).inject({.kind = FaultKind::kFlipBit}), Error);
  MessageSpec alone = integers;
  alone.data.ranks = 1;
  EXPECT_THROW(Message(alone, rank_order(1, 4)).inject({.kind = FaultKind::kDoubleRank}), Error);
}

}  // namespace
}  // namespace arb
