#include "reports/nccl_tests.hpp"

#include <gtest/gtest.h>

#include "tests/reports/sample_report.hpp"

namespace arb {
namespace {

std::string text_of(std::vector<Record> records) {
  Report report;
  report.records = std::move(records);
  return write_nccl_tests(report);
}

std::string line_with(const std::string& text, const std::string& part) {
  const size_t at = text.find(part);
  if (at == std::string::npos) return "no " + part;
  const size_t start = text.rfind('\n', at) + 1;
  return text.substr(start, text.find('\n', at) - start);
}

TEST(NcclTests, HeadingAndRowsHaveTheirColumns) {
  Record out = sample_record();
  out.bytes = 1048576;
  out.count = 262144;
  out.time->median = 45.12e-6;
  out.algbw_gbps = 23.24;
  out.busbw_gbps = 40.67;
  Record in = out;
  in.in_place = true;
  in.time->median = 44.8e-6;
  in.algbw_gbps = 23.41;
  in.busbw_gbps = 40.96;
  const std::string text = text_of({out, in});
  EXPECT_EQ(line_with(text, "size"),
            "#       size         count      type   redop    root     time   algbw   busbw  #wrong "
            "    time   algbw   "
            "busbw  #wrong ");
  EXPECT_EQ(line_with(text, "   1048576"),
            "     1048576        262144     float     sum      -1    45.12   23.24   40.67       0 "
            "   44.80   23.41   "
            "40.96       0");
  EXPECT_NE(text.find("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 40.815 \n"),
            std::string::npos);
}

TEST(NcclTests, NumbersAreFittedIntoTheirColumns) {
  const auto row = [](double seconds, double gbps) {
    Record record = sample_record();
    record.time->median = seconds;
    record.algbw_gbps = record.busbw_gbps = gbps;
    return line_with(text_of({record}), "   65536").substr(54, 23);
  };
  EXPECT_EQ(row(9999.99e-6, 999.99), "9999.99  999.99  999.99");
  EXPECT_EQ(row(12345.67e-6, 1234.56), "12345.7  1234.6  1234.6");
  EXPECT_EQ(row(99999.96e-6, 12345.6),
            " 100000   12346   12346");  // rounding up to one digit more still fits
  EXPECT_EQ(row(1.234567, 123456.7), "1234567  123457  123457");
  EXPECT_EQ(row(12.34567, 1234567), "1.2e+07   1e+06   1e+06");
}

TEST(NcclTests, NamesElementTypesLikeNcclTests) {
  const auto type_of = [](const char* dtype) {
    Record record = sample_record();
    record.dtype = dtype;
    return line_with(text_of({record}), "   65536").substr(28, 8);
  };
  EXPECT_EQ(type_of("float16"), "    half");
  EXPECT_EQ(type_of("float64"), "  double");
  EXPECT_EQ(type_of("bfloat16"), "bfloat16");
  EXPECT_EQ(type_of("uint8"), "   uint8");
}

TEST(NcclTests, AWrongResultFailsAndIsCountedWhole) {
  Record record = sample_record();
  record.status = Status::kWrong;
  record.verify.wrong = 12345678;
  const std::string text = text_of({record});
  EXPECT_NE(text.find("  12345678"), std::string::npos);
  EXPECT_NE(text.find("# Out of bounds values : 1 FAILED"), std::string::npos);
}

TEST(NcclTests, OneRankIsNeverAnAverageOfZero) {
  Record record = sample_record();
  record.ranks = 1;
  record.busbw_gbps.reset();
  const std::string text = text_of({record});
  EXPECT_EQ(text.find("0 OK"), std::string::npos);
  EXPECT_NE(text.find("# Avg bus bandwidth    : N/A"), std::string::npos);
}

TEST(NcclTests, UncheckedResultsAreNotCalledOk) {
  Record record = sample_record();
  record.verify = Verification{};
  EXPECT_NE(text_of({record}).find("# Out of bounds values : N/A"), std::string::npos);
}

}  // namespace
}  // namespace arb
