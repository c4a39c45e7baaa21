#include "bench/progress.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace arb {
namespace {

using std::chrono::milliseconds;

struct Fake {
  std::ostringstream out;
  Progress::Clock::time_point time{};
  int columns = 80;

  Progress::Screen screen(bool on = true) {
    return {out, on, [this] { return columns; }, [this] { return time; }};
  }
  std::string take() {
    const std::string text = out.str();
    out.str("");
    return text;
  }
};

TEST(Progress, ShowsShareTimeLeftAndWork) {
  Fake fake;
  Progress progress(fake.screen(), 40);
  fake.time += milliseconds(30000);
  progress.update(10, "ring 4KB");
  EXPECT_EQ(fake.take(), "\r\x1b[K[#####...............]  25 %  1 min 30 s left  ring 4KB");
}

TEST(Progress, RedrawsAtMostTenTimesASecond) {
  Fake fake;
  Progress progress(fake.screen(), 10);
  int drawn = 0;
  for (int i = 0; i < 1000; ++i) {
    progress.update(1, "x");
    if (!fake.take().empty()) ++drawn;
    fake.time += milliseconds(1);
  }
  EXPECT_EQ(drawn, 10);
}

TEST(Progress, IsClearedOnceBeforeResultsAndAtTheEnd) {
  Fake fake;
  {
    Progress progress(fake.screen(), 10);
    progress.clear();
    EXPECT_EQ(fake.take(), "");
    progress.update(1, "x");
    fake.take();
    progress.clear();
    EXPECT_EQ(fake.take(), "\r\x1b[K");
    progress.clear();
    EXPECT_EQ(fake.take(), "");
    fake.time += milliseconds(200);
    progress.update(2, "y");
    fake.take();
  }
  EXPECT_EQ(fake.take(), "\r\x1b[K");
}

TEST(Progress, FitsTheTerminal) {
  Fake fake;
  fake.columns = 30;
  Progress progress(fake.screen(), 10);
  progress.update(5, std::string(100, 'x'));
  EXPECT_EQ(fake.take().size(), 29U + 4U);
}

TEST(Progress, WritesNothingWhereThereIsNoTerminal) {
  Fake fake;
  {
    Progress progress(fake.screen(false), 10);
    progress.update(5, "x");
    progress.clear();
  }
  EXPECT_EQ(fake.take(), "");
}

TEST(Progress, SurvivesOddWeights) {
  Fake fake;
  Progress progress(fake.screen(), 0);
  progress.update(5, "x");
  EXPECT_NE(fake.take().find("  0 %  x"), std::string::npos);
  Progress over(fake.screen(), 1);
  over.update(5, "x");
  EXPECT_NE(fake.take().find("100 %  0 s left"), std::string::npos);
}

TEST(FormatDuration, IsShort) {
  EXPECT_EQ(format_duration(0), "0 s");
  EXPECT_EQ(format_duration(6.2), "7 s");
  EXPECT_EQ(format_duration(125), "2 min 05 s");
  EXPECT_EQ(format_duration(3780), "1 h 03 min");
  EXPECT_EQ(format_duration(1e300), "long");
}

}  // namespace
}  // namespace arb
