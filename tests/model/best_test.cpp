#include "reports/model/best.hpp"

#include <gtest/gtest.h>

namespace arb {
namespace {

// Times in microseconds at 8, 16, 32, ... bytes with intervals of +- 5 %; 0: not measured.
Contender contender(const std::string& name, const std::vector<double>& times) {
  Contender one{name, {}, {}};
  int64_t bytes = 8;
  for (const double time : times) {
    if (time > 0) one.points.push_back({bytes, time, std::pair{time * 0.95, time * 1.05}, 30});
    bytes *= 2;
  }
  return one;
}

struct Row {
  std::string algorithm;
  int64_t min_bytes, max_bytes;
  bool resolved;
  bool operator==(const Row&) const = default;
};

std::vector<Row> rows(const std::vector<Contender>& contenders) {
  std::vector<Row> all;
  for (const Best& one : best_ranges(contenders)) {
    all.push_back({one.algorithm, one.min_bytes, one.max_bytes, one.resolved});
  }
  return all;
}

TEST(Best, NeighboursWithTheSameWinnerAreOneRange) {
  EXPECT_EQ(rows({contender("tree", {1, 2, 4, 8, 16}), contender("ring", {3, 3, 3, 3, 3})}),
            (std::vector<Row>{{"tree", 8, 16, true}, {"ring", 32, 128, true}}));
}

TEST(Best, ARangeThatIsNowhereClearIsNotResolved) {
  EXPECT_EQ(rows({contender("tree", {1, 1, 2, 2}), contender("ring", {1.02, 1.02, 1, 1})}),
            (std::vector<Row>{{"tree", 8, 16, false}, {"ring", 32, 64, true}}));
}

TEST(Best, OneClearSizeResolvesTheRange) {
  EXPECT_EQ(rows({contender("tree", {1, 1}), contender("ring", {2, 1.02})}),
            (std::vector<Row>{{"tree", 8, 16, true}}));
}

TEST(Best, NoiseInsideARangeIsMergedIntoIt) {
  EXPECT_EQ(rows({contender("tree", {1, 1, 1, 1}), contender("ring", {2, 2, 0.98, 2})}),
            (std::vector<Row>{{"tree", 8, 64, true}}));
}

TEST(Best, AClearWinnerInsideARangeIsKept) {
  EXPECT_EQ(
      rows({contender("tree", {1, 1, 1}), contender("ring", {2, 0.5, 2})}),
      (std::vector<Row>{{"tree", 8, 8, true}, {"ring", 16, 16, true}, {"tree", 32, 32, true}}));
}

TEST(Best, NobodyIsPutWhereItWasNotMeasured) {
  EXPECT_EQ(
      rows({contender("tree", {1, 0, 1}), contender("ring", {2, 1, 2}),
            contender("flat", {3, 1.01, 3})}),
      (std::vector<Row>{{"tree", 8, 8, true}, {"ring", 16, 16, false}, {"tree", 32, 32, true}}));
}

TEST(Best, AloneIsResolvedAndNothingIsNothing) {
  EXPECT_EQ(rows({contender("ring", {1, 2})}), (std::vector<Row>{{"ring", 8, 16, true}}));
  EXPECT_TRUE(rows({}).empty());
}

TEST(Best, WithoutIntervalsNothingIsResolved) {
  Contender tree = contender("tree", {1, 1});
  for (Point& point : tree.points) point.ci95.reset();
  EXPECT_EQ(rows({tree, contender("ring", {2, 2})}), (std::vector<Row>{{"tree", 8, 16, false}}));
}

}  // namespace
}  // namespace arb
