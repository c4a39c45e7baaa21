#include "reports/model/crossover.hpp"

#include <gtest/gtest.h>

#include "series.hpp"

namespace arb {
namespace {

Contender contender(const std::string& name, const Series& points) {
  return {name, points, fit_points(points)};
}

Truth naive() { return straight(5e-6, 1.5e-9); }
Truth ring() { return straight(20e-6, 0.5e-9); }

TEST(FittedCrossover, OfCase54) {
  const Contender a = contender("naive-root", exact(doubling_sizes(8, 15), naive()));
  const Contender b = contender("ring", exact(doubling_sizes(8, 15), ring()));
  for (const auto& found : {fitted_crossovers(a, b), fitted_crossovers(b, a)}) {
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].from, "naive-root");
    EXPECT_EQ(found[0].to, "ring");
    EXPECT_EQ(found[0].method, "fitted");
    ASSERT_TRUE(found[0].bytes && found[0].ci95);
    EXPECT_NEAR(*found[0].bytes, 15000, 1e-3);
    EXPECT_LE(found[0].ci95->first, *found[0].bytes);
    EXPECT_GE(found[0].ci95->second, *found[0].bytes);
    EXPECT_TRUE(found[0].resolved);
  }
}

TEST(FittedCrossover, ParallelOrNeverMeetingLinesHaveNone) {
  const auto sizes = doubling_sizes(8, 15);
  const Contender a = contender("a", exact(sizes, straight(5e-6, 1e-9)));
  EXPECT_TRUE(fitted_crossovers(a, contender("b", exact(sizes, straight(9e-6, 1e-9)))).empty());
  EXPECT_TRUE(fitted_crossovers(a, contender("c", exact(sizes, straight(9e-6, 2e-9)))).empty());
  EXPECT_TRUE(fitted_crossovers(a, contender("a2", a.points)).empty());
}

TEST(FittedCrossover, OutsideTheMeasuredSizesIsNotClaimed) {
  const auto sizes = doubling_sizes(1 << 20, 8);
  EXPECT_TRUE(
      fitted_crossovers(contender("a", exact(sizes, naive())), contender("b", exact(sizes, ring())))
          .empty());
}

TEST(FittedCrossover, RefusedFitsHaveNone) {
  const auto sizes = doubling_sizes(4096, 2);
  EXPECT_TRUE(
      fitted_crossovers(contender("a", exact(sizes, naive())), contender("b", exact(sizes, ring())))
          .empty());
}

TEST(FittedCrossover, IntervalHoldsTheTruth) {
  for (const double sigma : {0.01, 0.05}) {
    int covered = 0;
    int found_any = 0;
    for (uint64_t seed = 0; seed < 1000; ++seed) {
      const auto sizes = doubling_sizes(512, 10);
      const auto found =
          fitted_crossovers(contender("a", noisy(sizes, naive(), sigma, 2 * seed)),
                            contender("b", noisy(sizes, ring(), sigma, 2 * seed + 1)));
      if (found.size() != 1 || !found[0].resolved) continue;
      ++found_any;
      if (found[0].ci95->first <= 15000 && 15000 <= found[0].ci95->second) ++covered;
    }
    EXPECT_GE(found_any, 980);
    EXPECT_GE(covered, 0.93 * found_any);
    EXPECT_LE(covered, 0.97 * found_any);
  }
}

TEST(FittedCrossover, LinesNobodyCanTellApartAreNotResolved) {
  const auto sizes = doubling_sizes(512, 10);
  int unresolved = 0;
  int resolved = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Contender a = contender("a", noisy(sizes, ring(), 0.05, 2 * seed));
    const Contender b = contender("b", noisy(sizes, ring(), 0.05, 2 * seed + 1));
    for (const Crossover& one : fitted_crossovers(a, b)) ++(one.resolved ? resolved : unresolved);
  }
  EXPECT_GT(unresolved, 20);
  EXPECT_LE(resolved, 10);
}

TEST(FittedCrossover, AtAJumpBetweenSegments) {
  const auto sizes = doubling_sizes(8, 16);
  const Truth jump = [](double bytes) { return (bytes <= 4096 ? 5e-6 : 30e-6) + bytes * 1e-9; };
  const auto found = fitted_crossovers(contender("eager", exact(sizes, jump)),
                                       contender("plain", exact(sizes, straight(10e-6, 1e-9))));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].from, "eager");
  EXPECT_EQ(found[0].ci95, (std::pair{4096.0, 8192.0}));
  EXPECT_TRUE(found[0].resolved);
}

TEST(MeasuredCrossover, BetweenTheSizesWhereTheOrderChanges) {
  const auto sizes = doubling_sizes(8, 15);
  const auto found = measured_crossovers(contender("ring", exact(sizes, ring(), 0.01)),
                                         contender("naive-root", exact(sizes, naive(), 0.01)));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].from, "naive-root");
  EXPECT_EQ(found[0].to, "ring");
  EXPECT_EQ(found[0].method, "measured");
  EXPECT_TRUE(found[0].resolved);
  EXPECT_NEAR(*found[0].bytes, 15000, 1e-6);
  EXPECT_GT(found[0].ci95->first, 8192);
  EXPECT_LT(found[0].ci95->first, 15000);
  EXPECT_GT(found[0].ci95->second, 15000);
  EXPECT_LT(found[0].ci95->second, 16384);
}

TEST(MeasuredCrossover, AWideOverlapWidensTheInterval) {
  const auto sizes = doubling_sizes(8, 15);
  const auto found = measured_crossovers(contender("ring", exact(sizes, ring(), 0.25)),
                                         contender("naive-root", exact(sizes, naive(), 0.25)));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].resolved);
  // 0.75 (20 + 0.5 x) = 1.25 (5 + 1.5 x) at x = 5.83, 1.25 (20 + 0.5 x) = 0.75 (5 + 1.5 x) at x
  // = 42.5 thousand.
  EXPECT_NEAR(found[0].ci95->first, 8750.0 / 1.5, 1e-6);
  EXPECT_NEAR(found[0].ci95->second, 42500, 1e-6);
}

TEST(MeasuredCrossover, OverlapUpToTheEndIsNotResolved) {
  const auto sizes = doubling_sizes(8, 12);  // up to 16384
  const auto found = measured_crossovers(contender("naive-root", exact(sizes, naive(), 0.1)),
                                         contender("ring", exact(sizes, ring(), 0.1)));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].resolved);
  EXPECT_NEAR(*found[0].bytes, 15000, 1e-6);
  EXPECT_FALSE(found[0].ci95);
}

TEST(MeasuredCrossover, WithoutIntervalsNothingIsResolved) {
  const auto sizes = doubling_sizes(8, 15);
  const auto found = measured_crossovers(contender("naive-root", exact(sizes, naive())),
                                         contender("ring", exact(sizes, ring())));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].resolved);
}

TEST(MeasuredCrossover, TouchingWithinNoiseIsOneUnresolvedEntryWithoutASize) {
  const auto sizes = doubling_sizes(8, 12);
  Series a = exact(sizes, ring(), 0.05);
  Series b = a;
  for (size_t i = 0; i < b.size(); ++i) b[i].seconds *= i % 3 == 0 ? 1.01 : 0.99;
  const auto found = measured_crossovers(contender("a", a), contender("b", b));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].resolved);
  EXPECT_FALSE(found[0].bytes);
  EXPECT_FALSE(found[0].ci95);
}

TEST(MeasuredCrossover, EveryResolvedChangeIsReported) {
  const auto sizes = doubling_sizes(8, 15);
  const Series middle = exact(sizes, straight(10e-6, 1e-9), 0.001);
  Series wave = middle;
  for (Point& point : wave) {
    const double factor = point.bytes < 512 ? 0.8 : point.bytes < 16384 ? 1.2 : 0.8;
    point.seconds *= factor;
    point.ci95 = {point.ci95->first * factor, point.ci95->second * factor};
  }
  const auto found = measured_crossovers(contender("wave", wave), contender("middle", middle));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].from, "wave");
  EXPECT_EQ(found[1].from, "middle");
  EXPECT_GT(*found[0].bytes, 256);
  EXPECT_LT(*found[0].bytes, 512);
  EXPECT_GT(*found[1].bytes, 8192);
  EXPECT_LT(*found[1].bytes, 16384);
}

TEST(MeasuredCrossover, NoneWhereOneAlwaysLeadsOrNoSizeIsShared) {
  const auto sizes = doubling_sizes(8, 15);
  const Contender a = contender("a", exact(sizes, straight(5e-6, 1e-9), 0.01));
  EXPECT_TRUE(
      measured_crossovers(a, contender("b", exact(sizes, straight(9e-6, 1e-9), 0.01))).empty());
  EXPECT_TRUE(
      measured_crossovers(a, contender("c", exact(doubling_sizes(3, 9), ring(), 0.01))).empty());
}

TEST(MeasuredCrossover, OnlyCommonSizesAreCompared) {
  Series naive_points = exact(doubling_sizes(8, 15), naive(), 0.01);
  Series ring_points = exact(doubling_sizes(8, 15), ring(), 0.01);
  naive_points.erase(naive_points.begin() + 11);  // 16384
  ring_points.erase(ring_points.begin() + 2);
  const auto found =
      measured_crossovers(contender("naive-root", naive_points), contender("ring", ring_points));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(*found[0].bytes, 15000, 1e-6);
}

}  // namespace
}  // namespace arb
