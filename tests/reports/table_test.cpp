#include "reports/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "reports/blocks.hpp"
#include "reports/text.hpp"
#include "tests/reports/sample_report.hpp"

namespace arb {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

Record record_of(const char* algorithm, double median,
                 std::optional<std::pair<double, double>> ci) {
  Record record = sample_record();
  record.algorithm = algorithm;
  record.time->median = median;
  record.time->ci95 = ci;
  return record;
}

TEST(Table, FitsA120ColumnTerminal) {
  for (const std::string& line : lines(write_table(sample_report()))) {
    EXPECT_LE(columns(line), 120u) << line;
    EXPECT_EQ(line, trimmed(line));
  }
}

TEST(Table, RowByRowIsTheSameAsAtOnce) {
  const Report report = sample_report();
  TableWriter table({.algorithm_columns = 11});
  std::string text = table.header(report);
  for (size_t i = 0; i < 9; i += 3) text += table.group(std::span(report.records).subspan(i, 3));
  for (size_t i = 9; i < report.records.size(); ++i) text += table.group({&report.records[i], 1});
  EXPECT_EQ(text + table.footer(report), write_table(report));
}

TEST(Table, MarksTheFastestAndWhatIsTiedWithIt) {
  const std::vector<Record> records = {
      record_of("slow", 3e-6, {{2.9e-6, 3.1e-6}}), record_of("winner", 1e-6, {{0.9e-6, 1.1e-6}}),
      record_of("near", 1.15e-6, {{1.05e-6, 1.2e-6}}), record_of("unsure", 2e-6, {})};
  TableWriter table;
  const auto text = lines(table.group(records));
  ASSERT_EQ(text.size(), 7u);  // blank, title, heading, four rows
  EXPECT_EQ(text[3].find_first_of("*~"), std::string::npos);
  EXPECT_NE(text[3].find("3.00x"), std::string::npos);
  EXPECT_NE(text[4].find("winner             *"), std::string::npos);
  EXPECT_NE(text[5].find("near               ~"), std::string::npos);
  // Without an interval nothing is known: twice the time is not called a tie.
  EXPECT_EQ(text[6].find_first_of("*~"), std::string::npos);
}

TEST(Table, AWrongResultNeverWins) {
  std::vector<Record> records = {record_of("right", 3e-6, {}), record_of("wrong", 1e-6, {})};
  records[1].status = Status::kWrong;
  records[1].verify.wrong = 12345678;
  records[1].verify.index = 42;
  records[1].verify.rank = 1;
  records[1].verify.wanted = "3";
  records[1].verify.got = "2.5";
  records[1].verify.ulps = 1;
  records[1].verify.check = "exact";
  EXPECT_EQ(fastest(pointers(records)), &records[0]);
  EXPECT_EQ(
      wrong_text(records[1]),
      "WRONG 12345678 elements, first at index 42 of rank 1: wanted 3, got 2.5 (1 ulps, exact)");
  records[1].reason = "exact";  // said already
  EXPECT_EQ(wrong_text(records[1]).find(';'), std::string::npos);
  TableWriter table({.colour = true});
  const std::string text = table.group(records);
  EXPECT_NE(text.find("\x1b[31m           wrong"), std::string::npos);
  EXPECT_EQ(text.find('*'), std::string::npos);
}

TEST(Table, ProtocolsOfOneAlgorithmAreToldApart) {
  std::vector<Record> records = {record_of("ring", 3e-6, {}), record_of("ring", 2e-6, {}),
                                 record_of("tree", 1e-6, {})};
  records[1].protocol = "ll";
  const Records all = pointers(records);
  EXPECT_EQ(label(records[0], all), "ring/slots");
  EXPECT_EQ(label(records[1], all), "ring/ll");
  EXPECT_EQ(label(records[2], all), "tree");
}

TEST(Table, TheIntervalIsJudgedByItsLongerSide) {
  EXPECT_NEAR(*half_width(*record_of("ring", 10e-6, {{9.9e-6, 10.5e-6}}).time), 0.05, 1e-12);
  EXPECT_EQ(half_width(*record_of("ring", 10e-6, {}).time), std::nullopt);
}

TEST(Table, OneRankHasNoBusBandwidth) {
  Record record = sample_record();
  record.ranks = 1;
  TableWriter table;
  EXPECT_NE(table.group({&record, 1}).find("n.a."), std::string::npos);
}

}  // namespace
}  // namespace arb
