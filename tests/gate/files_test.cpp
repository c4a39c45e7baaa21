// The files of a gate, and the options that ask for them.
#include "bench/files.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "bench/cli.hpp"
#include "bench/gate_files.hpp"
#include "bench/report_file.hpp"
#include "tests/bench/folder.hpp"
#include "tests/bench/refusal.hpp"
#include "tests/gate/sample_gate.hpp"

namespace arb {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

Options parse(const Words& words) { return parse_command_line(words, known_algorithms()).options; }

Options compare_with(Words words) {
  words.insert(words.begin(), {"compare", "a.json", "b.json"});
  return parse(words);
}

void expect_exit_2(const Words& words, const Words& said) {
  SCOPED_TRACE(words.back());
  expect_usage([&] { parse(words); }, said);
}

TEST(GateOptions, AreRead) {
  const Options o = compare_with({"--baseline",
                                  "c.json",
                                  "--baseline",
                                  "d.json",
                                  "--max-drop",
                                  "64K:20%,1M:0.1,5%",
                                  "--level",
                                  "0.1%",
                                  "--min-bytes",
                                  "4K",
                                  "--only",
                                  "ring,tree",
                                  "--allow-missing",
                                  "--allow-other-machine",
                                  "--fail-unsure",
                                  "--verdicts",
                                  "v.json",
                                  "--junit",
                                  "j.xml",
                                  "--summary",
                                  "s.md",
                                  "--format",
                                  "junit"});
  EXPECT_EQ(o.files, (Words{"a.json", "b.json"}));
  EXPECT_EQ(o.gate.baselines, (Words{"c.json", "d.json"}));
  const auto& drops = o.gate.rules.max_drop;
  ASSERT_EQ(drops.size(), 3U);
  EXPECT_EQ(drops[0].max_bytes, 64 << 10);
  EXPECT_DOUBLE_EQ(drops[0].drop, 0.2);
  EXPECT_EQ(drops[1].max_bytes, 1 << 20);
  EXPECT_DOUBLE_EQ(drops[1].drop, 0.1);
  EXPECT_EQ(drops[2].max_bytes, std::nullopt);
  EXPECT_DOUBLE_EQ(drops[2].drop, 0.05);
  EXPECT_DOUBLE_EQ(o.gate.rules.level, 0.001);
  EXPECT_EQ(o.gate.rules.min_bytes, 4096);
  EXPECT_EQ(o.gate.rules.only, (Words{"ring", "tree"}));
  EXPECT_TRUE(o.gate.rules.allow_missing && o.gate.rules.allow_other_machine);
  EXPECT_TRUE(o.gate.rules.unsure_fails);
  EXPECT_EQ(o.gate.verdicts + o.gate.junit + o.gate.summary, "v.jsonj.xmls.md");
  EXPECT_EQ(o.gate.format, "junit");
  const Options plain = compare_with({});
  EXPECT_EQ(plain.gate.format, "table");
  EXPECT_DOUBLE_EQ(plain.gate.rules.max_drop.at(0).drop, 0.05);
  EXPECT_DOUBLE_EQ(plain.gate.rules.level, 0.01);
}

TEST(GateOptions, OfRunAskForSomethingToJudgeBy) {
  const Options against = parse({"--against", "a.json", "--against", "b.json", "--max-drop", "3%",
                                 "--launcher", "mpirun -np 4", "--starts", "7"});
  EXPECT_EQ(against.gate.baselines, (Words{"a.json", "b.json"}));
  EXPECT_EQ(against.gate.launcher, "mpirun -np 4");
  EXPECT_EQ(against.gate.starts, 7);
  EXPECT_EQ(parse({"--ab", "./other", "--junit", "j.xml"}).gate.other_program, "./other");
  EXPECT_EQ(parse({"--ab", "./other", "--format", "json"}).gate.format, "json");
  expect_exit_2({"--ab", "./other", "--format", "csv"}, {"--format", "csv", "--junit"});
  for (const Words& alone :
       {Words{"--max-drop", "5%"}, Words{"--only", "ring"}, Words{"--allow-missing"},
        Words{"--junit", "j.xml"}, Words{"--launcher", "mpirun"}, Words{"--starts", "3"}}) {
    expect_exit_2(alone,
                  {alone[0] + ": judges, so it needs --against REPORT.json or --ab PROGRAM"});
  }
  expect_exit_2({"--against", "a.json", "--ab", "p"}, {"--against", "--ab"});
}

TEST(GateOptions, RefuseWhatCannotBeUnderstood) {
  for (const char* drop : {"", "0%", "100%", "-5%", "5", "64K:20%", "64K:20%,64K:10%,5%", "5%,3%",
                           "1M:5%,64K:20%,5%", ":5%", "64K:", "5%,", "x:5%", "nan"}) {
    expect_exit_2({"compare", "a", "b", "--max-drop", drop}, {"--max-drop '"});
  }
  expect_exit_2({"compare", "a", "b", "--level", "2"}, {"--level '2'"});
  expect_exit_2({"compare", "a", "b", "--min-bytes", "-1"}, {"--min-bytes '-1'"});
  expect_exit_2({"compare", "a", "b", "--format", "junti"}, {"did you mean 'junit'?"});
  expect_exit_2({"compare", "a", "b", "--format", "csv"}, {"table, json, junit, markdown"});
  expect_exit_2({"compare", "a", "b", "--max-dorp", "5%"}, {"did you mean '--max-drop'?"});
  expect_exit_2({"compare", "a", "b", "--ab", "p"}, {"--ab: not an option of 'compare'"});
  expect_exit_2({"--starts", "0", "--ab", "p"}, {"--starts '0'"});
  expect_exit_2({"compare", "a", "b", "--junit", ""}, {"--junit '': empty"});
}

TEST(GateOptions, NeverNameAFileTwice) {
  expect_exit_2({"compare", "a", "b", "--junit", "x", "--summary", "./x"}, {"--summary", "twice"});
  expect_exit_2({"--ab", "p", "-J", "x.json", "--verdicts", "x.json"}, {"--verdicts", "twice"});
  expect_exit_2({"compare", "a", "b", "--verdicts", "./a"}, {"--verdicts './a'", "is read"});
  expect_exit_2({"--against", "a.json", "--junit", "a.json"}, {"--junit 'a.json'", "is read"});
}

class GateFilesTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string text(const std::string& name) const { return read_file(path(name)).value_or(""); }

  Folder folder_;
};

TEST_F(GateFilesTest, AreAllWrittenAndTheSummaryIsAppended) {
  folder_.put("s.md", "what an earlier step said\n");
  GateOptions options;
  options.verdicts = path("v.json");
  options.junit = path("j.xml");
  options.summary = path("s.md");
  const GateFiles files(options);
  EXPECT_FALSE(fs::exists(path("v.json"))) << "written before anything was judged";
  EXPECT_EQ(deliver(sample_gate(), files, ""), 3);
  EXPECT_EQ(text("v.json"), write_gate_json(sample_gate()));
  EXPECT_EQ(text("j.xml"), write_gate_junit(sample_gate()));
  EXPECT_EQ(deliver(passing_gate(1), files, ""), 0);
  EXPECT_EQ(text("s.md"), "what an earlier step said\n\n" + write_gate_markdown(sample_gate()) +
                              "\n" + write_gate_markdown(passing_gate(1)));
  EXPECT_EQ(text("j.xml"), write_gate_junit(passing_gate(1)));
}

TEST_F(GateFilesTest, LeaveNothingBehindIfNothingWasJudged) {
  GateOptions options;
  options.summary = path("s.md");
  options.junit = path("j.xml");
  const GateFiles files(options);
  Gate nothing;
  nothing.name = "compare";
  expect_usage([&] { deliver(nothing, files, ""); }, {"compare: nothing was judged"});
  nothing.rows.emplace_back();
  nothing.rows.back().name = "stage pairs";
  nothing.rows.back().why = "not asked for";
  nothing.rows.back().result = GateResult::kSkipped;
  expect_usage([&] { deliver(nothing, files, ""); },
               {"compare: nothing was judged", "'stage pairs': not asked for"});
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(GateFilesTest, AreRefusedBeforeAnyWork) {
  GateOptions summary, junit;
  summary.summary = path("none/s.md");
  expect_usage([&] { GateFiles files(summary); }, {"--summary '", "cannot be written"});
  summary.summary = folder_.path().string();
  expect_usage([&] { GateFiles files(summary); }, {"--summary '", "directory"});
  junit.junit = path("none/j.xml");
  expect_usage([&] { GateFiles files(junit); }, {"--junit '", "no folder"});
}

TEST_F(GateFilesTest, SayThatADiskIsFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  GateOptions options;
  options.summary = "/dev/full";
  const GateFiles files(options);
  expect_refused([&] { deliver(passing_gate(1), files, ""); }, ErrorKind::kEnvironment,
                 {"/dev/full", "No space left"});
}

TEST_F(GateFilesTest, ReportsThatCannotBeReadAreNamed) {
  folder_.put("no.json", "{");
  expect_usage([&] { read_report_file(path("no.json")); }, {"no.json", "is not a report"});
  expect_usage([&] { read_report_file(path("gone.json")); }, {"gone.json", "no such file"});
  expect_usage([&] { read_report_file(folder_.path().string()); }, {"is a folder"});
}

}  // namespace
}  // namespace arb
