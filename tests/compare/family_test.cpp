#include "reports/compare/family.hpp"

#include <gtest/gtest.h>

namespace arb {
namespace {

TEST(Holm, StepsDownAndStops) {
  const std::vector<double> levels = holm({0.01, 0.04, 0.03, 0.005}, 0.05);
  EXPECT_DOUBLE_EQ(levels[3], 0.05 / 4);  // 0.005: found
  EXPECT_DOUBLE_EQ(levels[0], 0.05 / 3);  // 0.01: found
  EXPECT_DOUBLE_EQ(levels[2], 0.05 / 2);  // 0.03: not found
  EXPECT_DOUBLE_EQ(levels[1], 0.05 / 2);  // 0.04: held against the same, though below 0.05
}

TEST(Holm, FindsMoreThanBonferroni) {
  const std::vector<double> p = {0.002, 0.004, 0.009};
  const std::vector<double> levels = holm(p, 0.01);
  for (size_t i = 0; i < p.size(); ++i) EXPECT_LE(p[i], levels[i]);
  EXPECT_GT(p[2], 0.01 / 3);
}

TEST(Holm, OneIsItsOwnFamily) {
  EXPECT_EQ(holm({0.2}, 0.01), std::vector<double>{0.01});
  EXPECT_TRUE(holm({}, 0.01).empty());
}

}  // namespace
}  // namespace arb
