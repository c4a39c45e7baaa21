#include "bench/busy_watch.hpp"

#include <gtest/gtest.h>

#include "bench/system.hpp"
#include "folder.hpp"

namespace arb {
namespace {

/// A machine of two processors whose counters the test moves.
struct Counters {
  std::optional<CpuTimes> now = CpuTimes{100, 50, 1, 3};

  BusyWatch watch(bool busy) {
    return {[this] { return now; }, 2, busy};
  }
  void pass(double wall, double own, double others, double stolen = 0) {
    now->wall += wall;
    now->own += own;
    now->work += own + others;
    now->stolen += stolen;
  }
};

bool after_a_case(bool at_start, double wall, double own, double others, double stolen = 0) {
  Counters counters;
  BusyWatch watch = counters.watch(at_start);
  watch.begin_case();
  counters.pass(wall, own, others, stolen);
  watch.end_case();
  return watch.busy();
}

TEST(BusyWatch, ACaseIsJudgedByItsOwnTime) {
  EXPECT_FALSE(after_a_case(false, 1, 2, 0));
  EXPECT_FALSE(after_a_case(true, 1, 2, 0)) << "the start alone condemns nothing";
  EXPECT_FALSE(after_a_case(true, 1, 1.9, 0.1)) << "a daemon's few percent";
  EXPECT_TRUE(after_a_case(false, 1, 1.5, 0.5));
  EXPECT_TRUE(after_a_case(false, 10, 15, 5));
}

TEST(BusyWatch, WhatTheHypervisorTookCountsWhetherOrNotItIsInTheOwnTime) {
  EXPECT_TRUE(after_a_case(false, 1, 1.5, 0, 0.5));
  EXPECT_TRUE(after_a_case(false, 1, 2, -0.5, 0.5)) << "own time that has the stolen time in it";
  EXPECT_FALSE(after_a_case(true, 1, 2, -0.05, 0.05));
}

TEST(BusyWatch, OwnTimeThatIsAheadOfTheTicksIsNoNegativeLoad) {
  EXPECT_TRUE(after_a_case(false, 1, 1.5, -0.3, 0.4));
}

TEST(BusyWatch, AShortCaseKeepsTheVerdictBeforeIt) {
  EXPECT_TRUE(after_a_case(true, 0.01, 0.02, 0));
  EXPECT_FALSE(after_a_case(false, 0.01, 0, 0.02));
}

TEST(BusyWatch, ShortCasesAddUp) {
  Counters counters;
  BusyWatch watch = counters.watch(false);
  for (int k = 0; k < 10; ++k) {
    watch.begin_case();
    counters.pass(0.06, 0.06, 0.06);
    watch.end_case();
    EXPECT_EQ(watch.busy(), k >= 3) << k;
  }
}

TEST(BusyWatch, AVerdictIsReplacedByTheNextWindow) {
  Counters counters;
  BusyWatch watch = counters.watch(false);
  for (const bool load : {true, false, true}) {
    counters.pass(3, 0, load ? 0 : 6);  // between cases nobody watches
    watch.begin_case();
    counters.pass(0.5, 0.5, load ? 0.5 : 0);
    watch.end_case();
    EXPECT_EQ(watch.busy(), load);
  }
}

TEST(BusyWatch, WhereNothingIsToldTheStartStands) {
  for (const bool at_start : {false, true}) {
    Counters counters;
    BusyWatch watch = counters.watch(at_start);
    counters.now.reset();
    watch.begin_case();
    watch.end_case();
    EXPECT_EQ(watch.busy(), at_start);
    watch.begin_case();
    counters.now = CpuTimes{};
    watch.end_case();
    EXPECT_EQ(watch.busy(), at_start);
  }
}

TEST(CpuSeconds, StolenTimeIsApartFromWork) {
  const Folder root;
  root.put("proc/stat",
           "cpu  1 1 1 1 1 1 1 1 0 0\n"
           "cpu0 100 20 30 5000 600 7 8 900 0 0\n"
           "cpu1 1 1 1 1 1 1 1 1 0 0\n"
           "cpu2 200 0 0 0 0 0 0 100 0 0\n");
  const auto seconds = cpu_seconds(root.path(), {0, 2});
  ASSERT_TRUE(seconds.has_value());
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(seconds->work, 365 / ticks);
  EXPECT_DOUBLE_EQ(seconds->stolen, 1000 / ticks);
  EXPECT_EQ(cpu_seconds(root.path(), {7}), std::nullopt);
}

TEST(CpuSeconds, ThisMachineTellsThemAndTheyGrow) {
  const auto first = read_cpu_times(read_system().cpus);
  const auto second = read_cpu_times(read_system().cpus);
  if (!first || !second) GTEST_SKIP() << "no /proc/stat";
  EXPECT_GE(second->wall, first->wall);
  EXPECT_GE(second->own, first->own);
}

}  // namespace
}  // namespace arb
