#include "collectives/runners/straggler.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace arb {
namespace {

int straggler(const std::vector<Wait>& waits) { return find_straggler(waits); }

TEST(Straggler, NobodyWaited) {
  EXPECT_EQ(straggler({}), kNone);
  EXPECT_EQ(straggler({{}, {}, {}}), kNone);
  EXPECT_EQ(straggler({{1, 0}, {0, 0}}), kNone);
}

TEST(Straggler, TheOneTheOthersWaitedFor) {
  EXPECT_EQ(straggler({{2, 1.0}, {2, 0.9}, {}}), 2);
  EXPECT_EQ(straggler({{}, {0, 0.5}}), 0);
}

TEST(Straggler, AtTheEndOfAChain) {
  // 0 waits for 1, which waits for 2, which waits for 3, which is late.
  EXPECT_EQ(straggler({{1, 0.9}, {2, 0.95}, {3, 1.0}, {}}), 3);
  // The first rank that waited long begins the chain; ranks before it that did not are no excuse.
  EXPECT_EQ(straggler({{}, {}, {1, 1.0}}), 1);
}

TEST(Straggler, AShortWaitOfItsOwnIsNoExcuse) {
  EXPECT_EQ(straggler({{1, 1.0}, {2, 0.5}, {}}), 1) << "half of the longest is short";
  EXPECT_EQ(straggler({{1, 1.0}, {2, 0.51}, {}}), 2);
}

TEST(Straggler, AWaitForNobodyIsNone) { EXPECT_EQ(straggler({{1, 1.0}, {kNone, 1.0}}), 1); }

TEST(Straggler, ACycleHasNone) {
  EXPECT_EQ(straggler({{1, 1.0}, {0, 1.0}}), kNone);
  EXPECT_EQ(straggler({{1, 1.0}, {2, 1.0}, {0, 1.0}}), kNone);
  // Rank 0 leads into a cycle; rank 3 does not.
  EXPECT_EQ(straggler({{1, 1.0}, {2, 1.0}, {1, 1.0}, {4, 1.0}, {}}), 4);
}

}  // namespace
}  // namespace arb
