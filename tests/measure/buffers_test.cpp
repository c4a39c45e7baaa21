// Where the messages lie and what lies around them.
#include "bench/measure/buffers.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "collectives/runners/host/cpu.hpp"
#include "verify/check.hpp"

namespace arb {
namespace {

uintptr_t address(const std::byte* at) { return reinterpret_cast<uintptr_t>(at); }

TEST(Buffers, WhatIsRealFollowsFromTheCollective) {
  const auto parts = [](Collective collective, int rank) {
    const Shape shape{collective, 4, 2, 40, Dtype::kInt32, Op::kSum};
    return std::pair(real_input(shape, rank), real_output(shape, rank));
  };
  const Range all{0, 40}, none{0, 0}, block{10, 10};
  EXPECT_EQ(parts(Collective::kAllReduce, 1), std::pair(all, all));
  EXPECT_EQ(parts(Collective::kReduceScatter, 1), std::pair(all, block));
  EXPECT_EQ(parts(Collective::kAllGather, 1), std::pair(block, all));
  EXPECT_EQ(parts(Collective::kBroadcast, 1), std::pair(none, all));
  EXPECT_EQ(parts(Collective::kBroadcast, 2), std::pair(all, all));
  EXPECT_EQ(parts(Collective::kReduce, 1), std::pair(all, none));
  EXPECT_EQ(parts(Collective::kReduce, 2), std::pair(all, all));
}

TEST(Buffers, AlignedToACacheLineUnlessAskedOtherwise) {
  for (const int unalign : {0, 1, 3}) {
    for (const bool in_place : {false, true}) {
      const Shape shape{Collective::kAllReduce, 3, 0, 1001, Dtype::kFloat32, Op::kSum};
      const CaseBuffers buffers(shape, {in_place, unalign, 0});
      ASSERT_EQ(buffers.sets(), 1u);
      for (int rank = 0; rank < 3; ++rank) {
        const RankBuffers& at = buffers.set(0)[rank];
        EXPECT_EQ(at.input == at.output, in_place);
        for (const std::byte* base : {at.input, at.output}) {
          EXPECT_EQ(address(base) % kCacheLine, static_cast<size_t>(unalign) * 4);
        }
      }
    }
  }
}

TEST(Buffers, NothingOverlapsGuardsIncluded) {
  for (const bool in_place : {false, true}) {
    for (const size_t count : {1u, 960u, 1000u, 1024u, 5000u}) {
      const Shape shape{Collective::kAllReduce, 3, 0, count, Dtype::kFloat32, Op::kSum};
      const CaseBuffers buffers(shape, {in_place, 1, size_t{1} << 18});
      std::set<uintptr_t> starts;
      for (size_t s = 0; s < buffers.sets(); ++s) {
        for (int rank = 0; rank < 3; ++rank) {
          starts.insert(address(buffers.set(s)[rank].input));
          starts.insert(address(buffers.set(s)[rank].output));
        }
      }
      EXPECT_EQ(starts.size(), buffers.sets() * 3 * (in_place ? 1 : 2));
      for (auto at = starts.begin(); std::next(at) != starts.end(); ++at) {
        EXPECT_GE(*std::next(at) - *at, shape.bytes() + 2 * kGuardBytes);
      }
    }
  }
}

TEST(Buffers, ColdOnesAreTogetherLargerThanAskedFor) {
  for (const bool in_place : {false, true}) {
    const Shape shape{Collective::kAllReduce, 2, 0, 5000, Dtype::kFloat32, Op::kSum};
    const size_t one = shape.bytes() * 2 * (in_place ? 1 : 2);
    for (const size_t cold : {size_t{1}, one - 1, one, 10 * one}) {
      const CaseBuffers buffers(shape, {in_place, 0, cold});
      // While one set is in use the others alone are as large: it is cold when its turn comes.
      EXPECT_GE((buffers.sets() - 1) * one, cold);
      EXPECT_GE(buffers.sets(), 2u);
    }
  }
}

TEST(Buffers, EveryGuardByteOfEverySetIsWatched) {
  for (const bool in_place : {false, true}) {
    const Shape shape{Collective::kAllReduce, 2, 0, 100, Dtype::kFloat16, Op::kSum};
    const CaseBuffers buffers(shape, {in_place, 0, size_t{1} << 12});
    const size_t last = buffers.sets() - 1;
    for (const size_t set : {size_t{0}, last}) {
      for (int rank = 0; rank < 2; ++rank) {
        buffers.set_guards(set, rank);
        const RankBuffers& at = buffers.set(set)[rank];
        for (const bool of_output : {false, true}) {
          if (in_place && !of_output) continue;
          std::byte* base = of_output ? at.output : at.input;
          for (const bool before : {false, true}) {
            std::byte* guard = before ? base - kGuardBytes : base + shape.bytes();
            for (size_t i = 0; i < kGuardBytes; ++i) {
              guard[i] ^= std::byte{1};
              const auto found = buffers.check_guards(set, rank);
              EXPECT_TRUE(found.changed);
              EXPECT_EQ(found.of_output, of_output);
              EXPECT_EQ(found.before, before);
              EXPECT_EQ(found.offset, static_cast<long>(i));
              guard[i] ^= std::byte{1};
              EXPECT_FALSE(buffers.check_guards(set, rank).changed);
            }
          }
        }
      }
    }
  }
}

TEST(Buffers, AGuardCopiedFromElsewhereIsNoGuard) {
  // Whoever writes whole neighbouring memory over a guard is seen: no two guards are alike.
  const Shape shape{Collective::kAllReduce, 3, 0, 100, Dtype::kFloat32, Op::kSum};
  const CaseBuffers buffers(shape, {});
  std::set<std::string> different;
  for (int rank = 0; rank < 3; ++rank) {
    buffers.set_guards(0, rank);
    const RankBuffers& at = buffers.set(0)[rank];
    for (const std::byte* base : {at.input, at.output}) {
      for (const std::byte* guard : {base - kGuardBytes, base + shape.bytes()}) {
        different.emplace(reinterpret_cast<const char*>(guard), kGuardBytes);
      }
    }
  }
  EXPECT_EQ(different.size(), 12u);
}

}  // namespace
}  // namespace arb
