// The cases of wrong and of suspicious data that a verifier must get right, one test each.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/verify/message.hpp"
#include "verify/compare.hpp"
#include "verify/oracle.hpp"
#include "verify/true_result.hpp"

namespace arb {
namespace {

using test::Message;

std::vector<DataSpec> float_and_int_specs(int ranks) {
  std::vector<DataSpec> specs;
  for (const DataKind kind : {DataKind::kExact, DataKind::kRandom}) {
    for (const Dtype dtype : kDtypes) {
      for (const Op op : kOps) {
        if (!unsupported(dtype, op)) specs.push_back({kind, dtype, op, ranks, 5});
      }
    }
  }
  return specs;
}

TEST(Cases, TwoChunksSwappedInAnAverage) {
  for (const bool knows_order : {true, false}) {
    Message message({.data = {DataKind::kExact, Dtype::kFloat32, Op::kAvg, 4, 1}},
                    rank_order(4, 4));
    message.inject({.kind = FaultKind::kSwapChunks});
    const Verdict verdict = message.check(knows_order);
    EXPECT_EQ(verdict.check, "exact");
    EXPECT_EQ(verdict.wrong, message.difference().elements);
    EXPECT_GT(verdict.wrong, 700);
  }
}

TEST(Cases, OneRankTwiceAndAnotherNotAtAll) {
  for (const DataSpec& data : float_and_int_specs(4)) {
    Message message({.data = data}, test::ring_order(4, 4));
    message.inject({.kind = FaultKind::kDoubleRank});
    const auto difference = message.difference();
    ASSERT_GT(difference.elements, 0) << test::label(data);
    EXPECT_EQ(message.check().wrong, difference.elements) << test::label(data);
    EXPECT_FALSE(message.check(false).ok()) << test::label(data);
  }
}

TEST(Cases, LastElementUnwritten) {
  for (const DataSpec& data : float_and_int_specs(3)) {
    for (const size_t count : {7, 1000, 1001}) {
      Message message({.data = data, .count = count}, test::ring_order(3, 4));
      message.inject({.kind = FaultKind::kLastUnwritten, .rank = 1});
      const auto difference = message.difference();
      if (difference.elements == 0) {  // the poison happens to be right: only in one byte
        EXPECT_EQ(size_of(data.dtype), 1U);
        continue;
      }
      for (const bool knows_order : {true, false}) {
        const Verdict verdict = message.check(knows_order);
        EXPECT_EQ(verdict.wrong, 1) << test::label(data);
        EXPECT_EQ(verdict.index, static_cast<int64_t>(count) - 1);
        EXPECT_EQ(verdict.rank, 1);
        if (is_float(data.dtype)) {
          EXPECT_EQ(verdict.got, "nan");
        }
      }
    }
  }
}

TEST(Cases, AWritePastTheEndAndAChangedInput) {
  for (const DataSpec& data : float_and_int_specs(3)) {
    Message message({.data = data}, test::ring_order(3, 4));
    EXPECT_EQ(message.changed_output_guard(2), -1);
    message.inject({.kind = FaultKind::kPastEnd, .rank = 2});
    EXPECT_TRUE(message.check().ok()) << "the guard has it, not the data";
    EXPECT_EQ(message.changed_output_guard(2), 0);
    message.inject({.kind = FaultKind::kChangeInput, .rank = 1});
    const Verdict verdict = message.check();
    EXPECT_EQ(verdict.check, "input changed") << test::label(data);
    EXPECT_EQ(verdict.rank, 1);
    EXPECT_EQ(verdict.index, 0);
    EXPECT_EQ(verdict.wrong, 1);
    EXPECT_NE(verdict.wanted, verdict.got);
  }
}

TEST(Cases, OneNanAndAnErrorOfNineTenths) {
  for (const DataSpec& data : float_and_int_specs(4)) {
    for (const FaultKind kind : {FaultKind::kNan, FaultKind::kOffByPart}) {
      if (kind == FaultKind::kNan && !is_float(data.dtype)) continue;
      Message message({.data = data}, test::ring_order(4, 4));
      message.inject({.kind = kind, .rank = 3});
      for (const bool knows_order : {true, false}) {
        const Verdict verdict = message.check(knows_order);
        EXPECT_EQ(verdict.wrong, 1) << test::label(data);
        EXPECT_EQ(verdict.rank, 3);
        EXPECT_EQ(verdict.index, message.difference().index);
        EXPECT_EQ(verdict.ulps.has_value(), kind == FaultKind::kOffByPart && is_float(data.dtype));
      }
    }
  }
}

TEST(Cases, CancellationGivesTheSameBitsAtEveryRun) {
  const DataSpec data{DataKind::kExtreme, Dtype::kFloat64, Op::kSum, 4, 1};
  const ReductionOrder order = test::tree_order(4, 1);
  Oracle first(data, order);
  Oracle second(data, order);
  EXPECT_EQ(std::memcmp(first.expected(0, 0, 4096), second.expected(0, 0, 4096), 4096 * 8), 0);
}

TEST(Cases, HalvesNearTheLargestOverflowWithoutFalseAlarm) {
  for (const Op op : {Op::kSum, Op::kProd, Op::kAvg}) {
    const DataSpec data{DataKind::kExtreme, Dtype::kFloat16, op, 4, 1};
    for (const ReductionOrder& order : {rank_order(4, 4), test::tree_order(4, 4)}) {
      Message message({.data = data}, order);
      int infinite = 0;
      int finite = 0;
      for (size_t i = 0; i < 1000; ++i) {
        Float16 value;
        std::memcpy(&value, message.output(0, i), sizeof value);
        (std::isfinite(to_float(value)) ? finite : infinite) += 1;
      }
      EXPECT_GT(infinite, 100);
      EXPECT_GT(finite, 20);
      EXPECT_TRUE(message.check(true).ok());
      EXPECT_TRUE(message.check(false).ok());
    }
  }
}

TEST(Cases, ManyWrongElementsAreCountedWhole) {
  constexpr size_t kCount = 12345678;
  const DataSpec data{DataKind::kExact, Dtype::kUint8, Op::kSum, 1, 1};
  Message message({.data = data, .count = kCount, .chunks = 1, .tile = 1 << 20}, rank_order(1, 1));
  for (size_t i = 0; i < kCount; ++i) *message.output(0, i) ^= std::byte{0x80};
  const Verdict verdict = message.check();
  EXPECT_EQ(verdict.wrong, 12345678);
  EXPECT_EQ(verdict.index, 0);
  EXPECT_EQ(verdict.rank, 0);
  EXPECT_EQ(std::abs(std::stoi(verdict.wanted) - std::stoi(verdict.got)), 128);
}

}  // namespace
}  // namespace arb
