#include "reports/csv.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/reports/sample_report.hpp"

namespace arb {
namespace {

constexpr size_t kGpuState = 8;  // cells, all empty

/// Of a result that is not of GPUs.
std::string last_cells(const Record& record) {
  Report report;
  report.records = {record};
  const std::string text = write_csv(report);
  const std::string cells = text.substr(text.rfind(",ok,") + 4);  // what follows the verdict
  return cells.substr(0, 7) + cells.substr(7 + kGpuState);
}

TEST(Csv, QuotesWhatNeedsIt) {
  Record record = sample_record();
  record.verify.max_error_ratio.reset();
  record.flags = {"time cap"};
  EXPECT_EQ(last_cells(record), ",,,,,,,time cap\n");
  record.flags = {"a,b", "c"};
  EXPECT_EQ(last_cells(record), ",,,,,,,\"a,b;c\"\n");
  record.flags = {"say \"x\""};
  EXPECT_EQ(last_cells(record), ",,,,,,,\"say \"\"x\"\"\"\n");
  record.flags = {"two\r\nlines"};
  EXPECT_EQ(last_cells(record), ",,,,,,,\"two\r\nlines\"\n");
  record.flags = {"\xFF"};
  EXPECT_EQ(last_cells(record), ",,,,,,,\xEF\xBF\xBD\n");
}

TEST(Csv, AMissingObjectKeepsItsColumns) {
  Record record = sample_record();
  record.time.reset();
  record.traffic.reset();
  Report report;
  report.records = {record};
  const std::string text = write_csv(report);
  const auto half = text.begin() + static_cast<std::ptrdiff_t>(text.find('\n'));
  EXPECT_EQ(std::count(text.begin(), half, ','), std::count(half, text.end(), ','));
  EXPECT_NE(text.find(",time_s.ci95.low,time_s.ci95.high,"), std::string::npos);
}

}  // namespace
}  // namespace arb
