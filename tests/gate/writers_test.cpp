// Goldens of the four writers; ARB_UPDATE_GOLDEN=1 writes them anew. What other readers make of
// them: check_gates.py.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "reports/gate/gate.hpp"
#include "reports/text.hpp"
#include "tests/gate/sample_gate.hpp"
#include "tests/reports/golden.hpp"

namespace arb {
namespace {

std::string ending(const GateWriter& writer) {
  if (writer.name == "table") return "table.txt";
  if (writer.name == "junit") return "xml";
  return writer.name == "markdown" ? "md" : std::string(writer.name);
}

class EveryGateWriter : public testing::TestWithParam<GateWriter> {};

TEST_P(EveryGateWriter, WritesTheSampleGate) {
  expect_golden("gate." + ending(GetParam()), GetParam().write(sample_gate()));
}

TEST_P(EveryGateWriter, SaysTheVerdictOfAGateWithoutFindings) {
  const std::string text = GetParam().write(passing_gate(2));
  EXPECT_NE(text.find("PASS: of 2 rows judged, all right."), std::string::npos) << text;
  EXPECT_EQ(text.back(), '\n');
}

TEST_P(EveryGateWriter, RefusesAGateThatJudgedNothing) {
  Gate gate;
  gate.name = "compare";
  EXPECT_THROW(GetParam().write(gate), std::invalid_argument);
}

TEST_P(EveryGateWriter, SaysThatAGateWasCut) {
  Gate gate = passing_gate(1);
  gate.complete = false;
  EXPECT_NE(GetParam().write(gate).find("cut before all was judged"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Gates, EveryGateWriter,
                         testing::ValuesIn(gate_writers().begin(), gate_writers().end()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(GateTable, StaysWithinItsWidthAndIsPlain) {
  const std::string table = write_gate_table(sample_gate());
  for (size_t begin = 0; begin < table.size();) {
    const size_t end = table.find('\n', begin);
    EXPECT_LE(columns(table.substr(begin, end - begin)), 120U) << table.substr(begin, end - begin);
    begin = end + 1;
  }
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
}

TEST(GateTable, CountsWhatPassedOnceThereIsMuchOfIt) {
  EXPECT_NE(write_gate_table(passing_gate(40)).find("case 39"), std::string::npos);
  Gate many = passing_gate(60);
  many.rows[7].result = GateResult::kUnsure;
  many.rows[7].why = "who knows";
  const std::string table = write_gate_table(many);
  EXPECT_NE(table.find("not shown: 20 faster, 39 same"), std::string::npos) << table;
  EXPECT_NE(table.find("who knows"), std::string::npos) << table;
  EXPECT_EQ(table.find("case 39"), std::string::npos) << table;
}

TEST(GateTable, KeepsTheAnswerForTheEnd) {
  const std::string table = write_gate_table(sample_gate());
  EXPECT_TRUE(table.ends_with("WRONG DATA: ring of 1 MiB\nFAIL: 1 of 5 cases is slower\n"));
}

TEST(GateMarkdown, NeverBreaksATable) {
  const std::string text = write_gate_markdown(sample_gate());
  size_t rows = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty() || line[0] != '|') continue;
    ++rows;
    size_t bars = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == '|') {
        ++bars;
      }
    }
    EXPECT_EQ(bars, 6U) << line;
  }
  EXPECT_EQ(rows, 2 * 2 + sample_gate().rows.size());  // what failed, and the others
}

TEST(GateExitCode, IsThatOfTheWorstRow) {
  Gate gate = passing_gate(3);
  EXPECT_EQ(exit_code(gate), 0);
  gate.rows[0].result = GateResult::kNews;
  gate.rows[1].result = GateResult::kUnsure;
  gate.rows[2].result = GateResult::kSkipped;
  EXPECT_EQ(exit_code(gate), 0);
  gate.unsure_fails = true;
  EXPECT_EQ(exit_code(gate), 1);
  gate.unsure_fails = false;
  gate.rows[0].result = GateResult::kFail;
  EXPECT_EQ(exit_code(gate), 1);
  gate.rows[2].result = GateResult::kWrong;
  EXPECT_EQ(exit_code(gate), 3);
}

TEST(GateWriters, TellThatWhatCannotBeToldFailsIfAsked) {
  Gate gate = passing_gate(3);
  gate.rows[1].result = GateResult::kUnsure;
  gate.rows[1].verdict = "cannot tell";
  gate.rows[1].why = "who knows";
  EXPECT_NE(write_gate_junit(gate).find(" tests=\"3\" failures=\"0\" errors=\"0\""),
            std::string::npos);
  EXPECT_NE(write_gate_markdown(gate).find("All rows (3)"), std::string::npos);
  gate.unsure_fails = true;
  const std::string junit = write_gate_junit(gate);
  EXPECT_NE(junit.find(" tests=\"3\" failures=\"1\" errors=\"0\""), std::string::npos) << junit;
  EXPECT_NE(junit.find("<failure message=\"cannot tell: who knows\""), std::string::npos) << junit;
  const std::string markdown = write_gate_markdown(gate);
  EXPECT_NE(markdown.find("**cannot tell**"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("The other rows (2)"), std::string::npos) << markdown;
}

TEST(GateExitCode, ThrowsIfNothingWasJudged) {
  Gate gate = passing_gate(2);
  gate.rows[0].result = GateResult::kNews;
  gate.rows[1].result = GateResult::kSkipped;
  EXPECT_THROW(exit_code(gate), std::invalid_argument);
  gate.rows.clear();
  EXPECT_THROW(exit_code(gate), std::invalid_argument);
}

TEST(GateWriters, AreFoundByName) {
  EXPECT_EQ(gate_writer_named("junit")->write, write_gate_junit);
  EXPECT_EQ(gate_writer_named("csv"), nullptr);
  EXPECT_EQ(name(GateResult::kUnsure), "unsure");
}

}  // namespace
}  // namespace arb
