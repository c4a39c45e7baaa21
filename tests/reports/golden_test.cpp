// Every writer's text for the sample report is kept in tests/golden; ARB_UPDATE_GOLDEN=1 writes the
// files anew.
#include "tests/reports/golden.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "reports/writer.hpp"
#include "tests/reports/sample_report.hpp"

namespace arb {
namespace {

class EveryWriter : public testing::TestWithParam<Writer> {};

TEST_P(EveryWriter, WritesTheSampleReport) {
  const Writer& writer = GetParam();
  const std::string ending =
      writer.ending.empty() ? fmt::format(".{}.txt", writer.name) : std::string(writer.ending);
  expect_golden("report" + ending, writer.write(sample_report()));
}

TEST_P(EveryWriter, WritesAnEmptyReport) {
  const std::string text = GetParam().write({});
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_TRUE(text.empty() || text.back() == '\n');
}

INSTANTIATE_TEST_SUITE_P(Reports, EveryWriter,
                         testing::ValuesIn(writers().begin(), writers().end()),
                         [](const auto& each) {
                           std::string name(each.param.name);
                           std::erase(name, '-');
                           return name;
                         });

TEST(Golden, Summary) { expect_golden("report.summary.txt", write_summary(sample_report())); }

TEST(Golden, ColouredTable) {
  TableWriter table({.colour = true, .algorithm_columns = 11});
  std::string text;
  for (const Record& record : sample_report().records) text += table.group({&record, 1});
  const std::vector<Record> records = sample_report().records;
  text += table.group(std::span(records).first(9));
  expect_golden("report.table-colour.txt", text);
}

TEST(Writers, AreFoundByNameAndEnding) {
  EXPECT_EQ(writer_named("csv")->ending, ".csv");
  EXPECT_EQ(writer_named("cvs"), nullptr);
  EXPECT_EQ(writer_for_file("out/a.JSON")->name, "json");
  EXPECT_EQ(writer_for_file("a.json.txt"), nullptr);
  EXPECT_EQ(writer_for_file("table"), nullptr);
}

}  // namespace
}  // namespace arb
