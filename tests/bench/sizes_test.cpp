#include "bench/sizes.hpp"

#include <gtest/gtest.h>

#include "bench/sweep.hpp"
#include "refusal.hpp"

namespace arb {
namespace {

using Sizes = std::vector<uint64_t>;

uint64_t size(const std::string& text) { return read_size({"-b", text}); }

Sizes list(const std::string& text) {
  SizeArguments arguments;
  arguments.sizes = Argument{"--sizes", text};
  return read_sizes(arguments);
}

/// {first, last, factor, step}, empty: not given
Sizes range(const std::string& b, const std::string& e, const std::string& f = "",
            const std::string& i = "") {
  SizeArguments arguments;
  if (!b.empty()) arguments.begin = Argument{"-b", b};
  if (!e.empty()) arguments.end = Argument{"-e", e};
  if (!f.empty()) arguments.factor = Argument{"-f", f};
  if (!i.empty()) arguments.step = Argument{"-i", i};
  return read_sizes(arguments);
}

TEST(ReadSize, TakesEverySuffixInAnyCase) {
  EXPECT_EQ(size("0"), 0U);
  EXPECT_EQ(size("8"), 8U);
  EXPECT_EQ(size("8B"), 8U);
  EXPECT_EQ(size("8b"), 8U);
  EXPECT_EQ(size("1K"), 1024U);
  EXPECT_EQ(size("1KB"), 1024U);
  EXPECT_EQ(size("1KiB"), 1024U);
  EXPECT_EQ(size("1kib"), 1024U);
  EXPECT_EQ(size("1.5M"), 1572864U);
  EXPECT_EQ(size("1.50M"), 1572864U);
  EXPECT_EQ(size("2g"), 2147483648U);
  EXPECT_EQ(size("4GB"), 4294967296U);
  EXPECT_EQ(size("3T"), 3298534883328U);
  EXPECT_EQ(size("1.1K"), 1126U);
  EXPECT_EQ(size("8.0B"), 8U);
  EXPECT_EQ(size("9223372036854775807"), 9223372036854775807U);
}

TEST(ReadSize, RefusesWhatIsNotASize) {
  for (const char* text :
       {"nan", "inf", "-8",    "+8", "8kjunk", "0x10",       " 8",      "8 ",
        "8 K", "1e3", "1,000", "K",  ".5M",    "1.M",        "1.5",     "1.5B",
        "8BB", "8iB", "1Ki",   "08", "000",    "1.1234567M", "--ranks", "\xC2\xBD"}) {
    expect_usage([&] { size(text); }, {std::string("-b '") + text + "': "});
  }
  expect_usage([] { size(""); }, {"-b '': empty; write it like"});
}

TEST(ReadSize, SaysTooLargeAndNeverWraps) {
  for (const char* text :
       {"18446744073709551616", "18446744073709551624", "99999999T", "9223372036854775808",
        "8388608T", "8388607.999999T1", "100000000000000000000000000000"}) {
    const auto error = refusal([&] { size(text); });
    ASSERT_TRUE(error) << text;
  }
  expect_usage([] { size("18446744073709551616"); }, {"18446744073709551616", "too large"});
  expect_usage([] { size("99999999T"); }, {"too large"});
  EXPECT_EQ(size("8388607.999999T"), 9223372036853676296U);
}

TEST(ReadSizes, DefaultIsFrom8BytesTo64MegabytesByTwo) {
  const Sizes sizes = read_sizes({});
  EXPECT_EQ(sizes.size(), 24U);
  EXPECT_EQ(sizes.front(), 8U);
  EXPECT_EQ(sizes.back(), uint64_t{64} << 20);
}

TEST(ReadSizes, RangeAndList) {
  const Sizes sizes = list("8B:4GB");
  EXPECT_EQ(sizes.size(), 30U);
  EXPECT_EQ(sizes.back(), 4294967296U);
  EXPECT_EQ(list("8B:4K:4"), (Sizes{8, 32, 128, 512, 2048}));
  EXPECT_EQ(list("8B:64:1.5"), (Sizes{8, 12, 18, 27, 40, 60}));
  EXPECT_EQ(list("8B,1K,1M"), (Sizes{8, 1024, 1048576}));
  EXPECT_EQ(list("1M,8,8B"), (Sizes{8, 1048576}));
  EXPECT_EQ(list("0"), (Sizes{0}));
  EXPECT_EQ(list("0:8"), (Sizes{0, 1, 2, 4, 8}));
}

TEST(ReadSizes, NcclTestsOptions) {
  EXPECT_EQ(range("1K", "1K"), (Sizes{1024}));
  EXPECT_EQ(range("8", "64"), (Sizes{8, 16, 32, 64}));
  EXPECT_EQ(range("8", "64", "1.5"), (Sizes{8, 12, 18, 27, 40, 60}));
  EXPECT_EQ(range("1", "8", "1.5"), (Sizes{1, 2, 3, 5, 7}));  // 1, 1.5, 2.25, 3.375, 5.06, 7.59
  EXPECT_EQ(range("8", "30", "", "8"), (Sizes{8, 16, 24}));
  EXPECT_EQ(range("3G", "5G", "", "1G"), (Sizes{3221225472, 4294967296, 5368709120}));
  EXPECT_EQ(range("0", "16", "", "8"), (Sizes{0, 8, 16}));
  EXPECT_EQ(range("1M", "").back(), uint64_t{64} << 20);
  EXPECT_EQ(range("", "64"), (Sizes{8, 16, 32, 64}));
}

TEST(ReadSizes, ComesToAnEndAtTheLargestSize) {
  EXPECT_EQ(range("4000000T", "8388607T"), (Sizes{size("4000000T"), size("8000000T")}));
  EXPECT_EQ(range("8388606T", "9223372036854775807", "", "1T").size(), 2U);
  EXPECT_EQ(range("4000000T", "9223372036854775807", "1.5").size(), 2U);
}

TEST(ReadSizes, RefusesWhatNeverEndsOrContradictsItself) {
  expect_usage([] { range("8", "64", "", "0"); }, {"-i '0'", "never end"});
  for (const char* factor : {"1", "0", "abc", "0.5", "-2", "nan", "inf", "2x", "", "1e1"}) {
    expect_usage([&] { list(std::string("8:64:") + factor); }, {"factor"});
  }
  expect_usage([] { range("8", "64", "abc"); }, {"-f 'abc'"});
  expect_usage([] { range("64", "8"); }, {"-e '8'", "-b 64"});
  expect_usage([] { range("1G", ""); }, {"-b '1G'", "-e"});
  expect_usage([] { range("", "4"); }, {"-e '4'", "-b"});
  expect_usage([] { range("8", "64", "2", "8"); }, {"-i '8'", "exclude"});
  expect_usage([] { range("8", "4G", "", "8"); }, {"-i '8'", "10000"});
  expect_usage([] { range("8", "4G", "1.0000001"); }, {"-f", "10000"});
  expect_usage([] { list("64:8"); }, {"--sizes '64:8'"});
  expect_usage([] { list("8:16:2:3"); }, {"--sizes '8:16:2:3'"});
  expect_usage([] { list("8:"); }, {"--sizes ''"});
  expect_usage([] { list(":8"); }, {"--sizes ''"});
  expect_usage([] { list("1,000"); }, {"--sizes '000'", "comma"});
  expect_usage([] { list("8,,16"); }, {"--sizes '8,,16'", "empty item"});
  expect_usage([] { list(""); }, {"--sizes ''"});
  expect_usage([] { list("8B,1K:1M"); }, {"--sizes"});
  SizeArguments both;
  both.sizes = Argument{"--sizes", "8"};
  both.end = Argument{"-e", "8"};
  expect_usage([&] { read_sizes(both); }, {"-e '8'", "--sizes"});
  SizeArguments idle;
  idle.sizes = Argument{"--sizes", "8,16"};
  idle.factor = Argument{"-f", "2"};
  expect_usage([&] { read_sizes(idle); }, {"-f '2'", "no effect"});
}

TEST(FormatSize, IsReadBackExactly) {
  EXPECT_EQ(format_size(8), "8B");
  EXPECT_EQ(format_size(1000), "1000B");
  EXPECT_EQ(format_size(4294967296), "4GB");
  for (const uint64_t bytes : {0ULL, 1ULL, 1023ULL, 1024ULL, 1572864ULL, 9223372036854775807ULL}) {
    EXPECT_EQ(size(format_size(bytes)), bytes);
  }
}

TEST(FormatBytes, RoundsForSentences) {
  EXPECT_EQ(format_bytes(12), "12 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(uint64_t{32} << 30), "32.0 GiB");
  EXPECT_EQ(format_bytes((uint64_t{1} << 30) - 1), "1.0 GiB");
  EXPECT_EQ(format_bytes(18446744073709551615U), "16.0 EiB");
}

}  // namespace
}  // namespace arb
