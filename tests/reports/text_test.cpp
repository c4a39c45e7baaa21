#include "reports/text.hpp"

#include <gtest/gtest.h>

#include "reports/units.hpp"

namespace arb {
namespace {

TEST(Units, ThreeSignificantDigits) {
  EXPECT_EQ(significant(0), "0");
  EXPECT_EQ(significant(0.009852), "0.00985");
  EXPECT_EQ(significant(0.9996), "1.00");
  EXPECT_EQ(significant(9.996), "10.0");
  EXPECT_EQ(significant(99.96), "100");
  EXPECT_EQ(significant(17.5), "17.5");
  EXPECT_EQ(significant(1234), "1234");
  EXPECT_EQ(significant(1.5e-5), "1.50e-05");
  EXPECT_EQ(significant(-2.5), "-2.50");
  EXPECT_EQ(significant(0.0 / 0.0), "-");
}

TEST(Units, TimesChangeTheUnitInTime) {
  EXPECT_EQ(about_time(812e-9), "812 ns");
  EXPECT_EQ(about_time(999.4e-9), "999 ns");
  EXPECT_EQ(about_time(999.6e-9), "1.00 us");
  EXPECT_EQ(about_time(12.345e-6), "12.3 us");
  EXPECT_EQ(about_time(0.9996), "1.00 s");
  EXPECT_EQ(about_time(0.25e-9), "0.250 ns");
  EXPECT_EQ(about_time(120), "120 s");
  EXPECT_EQ(about_time(310e-9, Interval{301e-9, 1e-6}), "310 ns [301, 1000]");
}

TEST(Units, SizesAreExact) {
  EXPECT_EQ(exact_size(0), "0 B");
  EXPECT_EQ(exact_size(8), "8 B");
  EXPECT_EQ(exact_size(1000), "1000 B");
  EXPECT_EQ(exact_size(1024), "1 KiB");
  EXPECT_EQ(exact_size(65536), "64 KiB");
  EXPECT_EQ(exact_size(1572864), "1.5 MiB");
  EXPECT_EQ(exact_size(4294967296), "4 GiB");
  EXPECT_EQ(exact_size(1152), "1.125 KiB");
  EXPECT_EQ(exact_size(1048577), "1048577 B");
  EXPECT_EQ(exact_size(27951912277), "27951912277 B");
  EXPECT_EQ(exact_size(9223372036854775807), "9223372036854775807 B");
  EXPECT_EQ(exact_size(4611686018427387904), "4194304 TiB");
}

TEST(Units, SharesAndBandwidths) {
  EXPECT_EQ(percent(0.0123), "1.2 %");
  EXPECT_EQ(percent(0.931), "93 %");
  EXPECT_EQ(percent(0.0996), "10 %");
  EXPECT_EQ(percent(0.0052), "0.52 %");
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(about_bandwidth(8.4e9, Interval{7.5e9, 1e300 * 1e300}), "8.40 GB/s [7.50, -]");
  EXPECT_EQ(about_size(62668.8, Interval{53350.4, 72089.6}), "61.2 KiB [52.1, 70.4]");
}

TEST(Units, ShortestReadsBack) {
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(-0.0), "-0.0");
  EXPECT_EQ(shortest(5e-324), "5e-324");
  EXPECT_EQ(std::stod(shortest(1.0 / 3.0)), 1.0 / 3.0);
}

TEST(Text, InvalidUtf8IsReplaced) {
  EXPECT_EQ(valid_utf8("a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80"),
            "a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(valid_utf8("\xC3"), bad);                                // cut off
  EXPECT_EQ(valid_utf8("\xC0\xAF"), bad + bad);                      // overlong
  EXPECT_EQ(valid_utf8("\xE0\x80\xAF"), bad + bad + bad);            // overlong
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), bad + bad + bad);            // surrogate
  EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), bad + bad + bad + bad);  // beyond U+10FFFF
  EXPECT_EQ(valid_utf8("\xFFz"), bad + "z");
}

TEST(Text, PrintableHasNoControlCharacters) {
  EXPECT_EQ(printable("a\n\x1B[31m\x7F\tb"), "a  [31m  b");
  EXPECT_EQ(printable("a\xC2\x9B"
                      "b\xC2\xA9"),
            "a b\xC2\xA9");
}

TEST(Text, ColumnsCountLettersNotBytes) {
  EXPECT_EQ(columns("n\xC5\x93ud"), 4u);
  EXPECT_EQ(left("n\xC5\x93ud", 6), "n\xC5\x93ud  ");
  EXPECT_EQ(right("long", 2), "long");
}

TEST(Text, WrapsAtBlanks) {
  EXPECT_EQ(wrapped("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(wrapped("one two", 8, 6, 5), "one\n      two");
  EXPECT_EQ(wrapped("unbreakable", 4, 0), "unbreakable");
  EXPECT_EQ(wrapped("", 4, 0), "");
}

}  // namespace
}  // namespace arb
