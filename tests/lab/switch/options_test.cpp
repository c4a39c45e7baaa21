#include "tests/lab/switch/options.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "collectives/error.hpp"

namespace arb::lab {
namespace {

Options read(const std::string& line) {
  std::istringstream words(line);
  const std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
  return read_options(arguments);
}

std::string refusal(const std::string& line) {
  try {
    read(line);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage) << line;
    return error.what();
  }
  return "understood";
}

TEST(SwitchOptions, defaults) {
  const Options options = read("4");
  EXPECT_EQ(options.law.hosts, 4);
  EXPECT_EQ(options.law.alpha, 0);
  EXPECT_EQ(options.law.rate, kUnlimited);
  EXPECT_EQ(options.law.header_bytes, 66u);
  EXPECT_TRUE(options.law.ingress);
  EXPECT_EQ(options.mtu, 9000);
  EXPECT_FALSE(options.until_eof);
}

TEST(SwitchOptions, all_of_them_in_any_order) {
  const Options options = read(
      "--pair 4-1:alpha=10ms,rate=5MB/s --alpha=100us --rate 1.5GB/s --mtu 1500 --header=0 "
      "--no-ingress --host 3:rate=500kB/s --host=1:alpha=0 --until-eof 4");
  EXPECT_EQ(options.law.hosts, 4);
  EXPECT_EQ(options.law.alpha, 100'000);
  EXPECT_EQ(options.law.rate, 1.5e9);
  EXPECT_EQ(options.law.header_bytes, 0u);
  EXPECT_FALSE(options.law.ingress);
  EXPECT_EQ(options.mtu, 1500);
  EXPECT_TRUE(options.until_eof);
  ASSERT_EQ(options.law.own.size(), 2u);
  EXPECT_EQ(options.law.own[0].host, 2);
  EXPECT_EQ(options.law.own[0].rate, 500e3);
  EXPECT_EQ(options.law.own[0].alpha, -1);
  EXPECT_EQ(options.law.own[1].host, 0);
  EXPECT_EQ(options.law.own[1].alpha, 0);
  EXPECT_EQ(options.law.own[1].rate, -1);
  ASSERT_EQ(options.law.pairs.size(), 1u);
  EXPECT_EQ(options.law.pairs[0].a, 0);
  EXPECT_EQ(options.law.pairs[0].b, 3);
  EXPECT_EQ(options.law.pairs[0].alpha, 10'000'000);
  EXPECT_EQ(options.law.pairs[0].rate, 5e6);
}

TEST(SwitchOptions, cleanup_and_help_need_no_hosts) {
  EXPECT_TRUE(read("--cleanup").cleanup);
  EXPECT_TRUE(read("--help").help);
}

TEST(SwitchOptions, times_and_rates) {
  EXPECT_EQ(read_time("--alpha", "250ns"), 250);
  EXPECT_EQ(read_time("--alpha", "0.2s"), 200'000'000);
  EXPECT_EQ(read_time("--alpha", "0"), 0);
  EXPECT_EQ(read_time("--alpha", "0ms"), 0);
  EXPECT_EQ(read_rate("--rate", "1000B/s"), 1000);
  EXPECT_EQ(read_rate("--rate", "unlimited"), kUnlimited);
}

TEST(SwitchOptions, whatever_is_not_understood_is_refused_by_name) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "the number of hosts is missing"},
      {"1", "N '1'"},
      {"251", "N '251'"},
      {"4x", "N '4x'"},
      {"4 5", "N '5'"},
      {"4 --alpha", "needs a value"},
      {"4 --alpha 5", "--alpha '5'"},
      {"4 --alpha -5ms", "--alpha '-5ms'"},
      {"4 --alpha 5msx", "--alpha '5msx'"},
      {"4 --alpha nan", "--alpha 'nan'"},
      {"4 --alpha 1e3ms", "--alpha '1e3ms'"},
      {"4 --alpha 101s", "too long"},
      {"4 --alpha=", "--alpha ''"},
      {"4 --alpha 1ms --alpha 1ms", "given twice"},
      {"4 --rate 20", "--rate '20'"},
      {"4 --rate 20MB", "--rate '20MB'"},
      {"4 --rate 0MB/s", "too slow"},
      {"4 --rate inf", "--rate 'inf'"},
      {"4 --mtu 100", "--mtu '100'"},
      {"4 --mtu 65522", "--mtu '65522'"},
      {"4 --header -1", "--header '-1'"},
      {"4 --no-ingress=1", "takes no value"},
      {"4 --host 5:rate=1MB/s", "--host '5'"},
      {"4 --host 0:rate=1MB/s", "--host '0'"},
      {"4 --host 3", "--host '3'"},
      {"4 --host 3:", "--host '3:'"},
      {"4 --host 3:speed=1MB/s", "--host '3:speed=1MB/s'"},
      {"4 --host 3:rate=1MB/s,", "--host '3:rate=1MB/s,'"},
      {"4 --host 3:rate=1MB/s,rate=2MB/s", "given twice"},
      {"4 --host 3:rate=1MB/s --host 3:alpha=1ms", "given before"},
      {"4 --pair 1:alpha=1ms", "--pair '1'"},
      {"4 --pair 1-1:alpha=1ms", "two different hosts"},
      {"4 --pair 1-5:alpha=1ms", "--pair '5'"},
      {"4 --pair 1-2:alpha=1ms --pair 2-1:rate=1MB/s", "given before"},
      {"4 --speed 3", "option '--speed'"},
      {"4 -a", "option '-a'"},
      {"4 --cleanup", "stands alone"},
      {"--cleanup --alpha 1ms", "stands alone"},
  };
  for (const auto& [line, words] : kCases) {
    EXPECT_NE(refusal(line).find(words), std::string::npos) << line << ": " << refusal(line);
  }
}

}  // namespace
}  // namespace arb::lab
