#include "bench/values.hpp"

#include <gtest/gtest.h>

#include "refusal.hpp"

namespace arb {
namespace {

TEST(ReadInteger, TakesWholeNumbersInRangeOnly) {
  EXPECT_EQ(read_integer({"-n", "1"}, 1, 100), 1);
  EXPECT_EQ(read_integer({"-n", "100"}, 1, 100), 100);
  for (const char* text : {"0", "-1", "101", "abc", "", "1.5", "1e3", "0x10", " 1", "1 ", "+1",
                           "nan", "99999999999999999999", "20junk"}) {
    expect_usage([&] { read_integer({"-n", text}, 1, 100); }, {std::string("-n '") + text + "': "});
  }
  EXPECT_EQ(read_seed({"--seed", "18446744073709551615"}), 18446744073709551615U);
  expect_usage([] { read_seed({"--seed", "-1"}); }, {"--seed '-1'"});
}

TEST(ReadShare, TakesPercentOrFraction) {
  EXPECT_DOUBLE_EQ(read_share({"--precision", "2%"}), 0.02);
  EXPECT_DOUBLE_EQ(read_share({"--precision", "0.02"}), 0.02);
  EXPECT_DOUBLE_EQ(read_share({"--precision", "0.5%"}), 0.005);
  for (const char* text :
       {"2", "0", "0%", "100%", "-1%", "nan", "inf", "", "%", "2 %", "1e-2", "2%%"}) {
    expect_usage([&] { read_share({"--precision", text}); }, {std::string("'") + text + "'"});
  }
}

TEST(ReadSeconds, TakesUnits) {
  EXPECT_DOUBLE_EQ(read_seconds({"--timeout", "30"}), 30);
  EXPECT_DOUBLE_EQ(read_seconds({"--timeout", "30s"}), 30);
  EXPECT_DOUBLE_EQ(read_seconds({"--timeout", "500ms"}), 0.5);
  EXPECT_DOUBLE_EQ(read_seconds({"--timeout", "0.5s"}), 0.5);
  EXPECT_DOUBLE_EQ(read_seconds({"--timeout", "2min"}), 120);
  EXPECT_DOUBLE_EQ(read_seconds({"--timeout", "1h"}), 3600);
  for (const char* text : {"0", "0s", "-1s", "5d", "s", "", "nan", "inf", "1 s", "1e300", "5sec"}) {
    expect_usage([&] { read_seconds({"--timeout", text}); }, {std::string("'") + text + "'"});
  }
}

TEST(ReadList, HasNoEmptyItems) {
  ASSERT_EQ(read_list({"--ranks", "2,4,8"}).size(), 3U);
  EXPECT_EQ(read_list({"--ranks", "2,4,8"})[2].value, "8");
  for (const char* text : {"", ",", "2,", ",2", "2,,4"}) {
    expect_usage([&] { read_list({"--ranks", text}); }, {"--ranks", "empty item"});
  }
}

}  // namespace
}  // namespace arb
