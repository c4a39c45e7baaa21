// run --against and run --ab, with scripts in place of the builds: each start writes a report with
// made-up times and notes how it was called.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/program/made_report.hpp"
#include "tests/program/process.hpp"

namespace arb {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

constexpr int kPairs = 16;
constexpr int kStarts = 6;

class GateRun : public testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& content) {
    const std::string path = folder_.path(name);
    std::ofstream(path) << content;
    return path;
  }

  std::string script(const std::string& name, const std::string& commands) {
    const std::string path = put(name, "#!/bin/sh\n" + commands);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  /// A build whose starts write these reports, one after the other and over again.
  std::string build(const std::string& name, const std::vector<Json>& reports) {
    for (size_t i = 0; i < reports.size(); ++i) {
      put(name + "-" + std::to_string(i) + ".json", reports[i].dump());
    }
    const std::string log = folder_.path("log");
    return script(name, "n=$(grep -c '^" + name + " ' " + log + " 2>/dev/null)\n" +  //
                            "echo \"" + name + " $*\" >> " + log + "\n" +
                            "while [ $# -gt 0 ]; do [ \"$1\" = --output ] && cp " +
                            folder_.path(name) + "-$((n % " + std::to_string(reports.size()) +
                            ")).json \"$2\"; shift; done\n");
  }

  Words log() const {
    Words lines;
    std::ifstream file(folder_.path("log"));
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  Finished ab(const std::string& old, const std::string& fresh, Words more = {}) {
    Words words{"run", "--ab", old, "--new-program", fresh, "--no-progress"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }

  Folder folder_;
};

void in_state(Json& made, double handoff) {
  for (Json& record : made["records"]) record["handoff_s"] = {handoff, handoff};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(GateRun, BuildsTakeTurnsAndWhatIsTheSamePassesAtOnce) {
  const Finished run =
      ab(build("old", {report(1)}), build("new", {report(1.01)}), {"--sizes", "1K", "-d", "int32"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  const Words starts = log();
  ASSERT_EQ(starts.size(), 1 + 2 * kPairs);
  EXPECT_TRUE(has(starts[0], "run --sizes 1K -d int32")) << starts[0];
  EXPECT_FALSE(has(starts[0], "--ab")) << starts[0];
  const std::string turns[] = {"new", "old", "old", "new", "new", "old"};
  for (size_t i = 0; i < std::size(turns); ++i) {
    EXPECT_TRUE(starts[i + 1].starts_with(turns[i] + " run --config ")) << starts[i + 1];
  }
}

TEST_F(GateRun, StartsAreToldWhatToMeasureNotToJudge) {
  const Finished run =
      run_program({"run", "--ab=" + build("old", {report(1)}),
                   "--new-program=" + build("new", {report(1)}), "--no-progress", "--starts=2",
                   "--sizes=1K", "--max-drop=10%", "--junit=" + folder_.path("j.xml")});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  ASSERT_EQ(log().size(), 5U);
  EXPECT_TRUE(has(log()[0], "run --sizes=1K --max-time 3ms --no-limits --raw")) << log()[0];
}

TEST_F(GateRun, ASlowerBuildIsMeasuredAgainBeforeItFails) {
  const Finished run = ab(build("old", {report(1)}), build("new", {report(1.2)}));
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_TRUE(has(run.out, "slower")) << run.out;
  EXPECT_TRUE(has(run.err, "measured again")) << run.err;
  const Words starts = log();
  ASSERT_EQ(starts.size(), 1 + 4 * kPairs);
  EXPECT_TRUE(has(starts.back(), "--ranks 2 --sizes 1024,4096,65536,1048576")) << starts.back();
}

TEST_F(GateRun, OnlyTheSuspiciousCasesAreMeasuredAgain) {
  const auto slow_64k = [](Json& made) {
    for (Json& record : made["records"]) {
      if (record["bytes"] == 65536) set_time(record, 2 * record["time_s"]["median"].get<double>());
    }
  };
  const Finished run = ab(build("old", {report(1)}), build("new", {report(1, slow_64k)}));
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_TRUE(has(log().back(), "--ranks 2 --sizes 65536 ")) << log().back();
}

TEST_F(GateRun, AFalseAlarmThatDoesNotHappenTwicePasses) {
  std::vector<Json> moods(1 + kPairs, report(1.3));
  moods.resize(1 + 2 * kPairs, report(1));
  const Finished run = ab(build("old", {report(1)}), build("new", moods), {"--fail-unsure"});
  EXPECT_EQ(run.exit_code, 0) << "judged by the new pairs alone\n" << run.out << run.err;
  EXPECT_TRUE(has(run.err, "measured again")) << run.err;
}

TEST_F(GateRun, AgainstReportsTooAFalseAlarmMustHappenTwice) {
  std::vector<Json> moods(1 + kStarts, report(1.5));
  moods.resize(1 + 2 * kStarts, report(1));
  const Finished run =
      run_program({"run", "--against", put("a.json", report(1).dump()), "--against",
                   put("b.json", report(1.001).dump()), "--new-program", build("new", moods),
                   "--no-progress", "--fail-unsure", "--verdicts", folder_.path("v.json")});
  EXPECT_EQ(run.exit_code, 0) << "judged by the new starts alone\n" << run.out << run.err;
  EXPECT_TRUE(has(run.err, "measured again")) << run.err;
  EXPECT_TRUE(has(log().back(), "--ranks 2 --sizes 1024,4096,65536,1048576")) << log().back();
  const Json values = read_report(folder_.path("v.json"))["rows"][0]["values"];
  EXPECT_EQ(values["base_starts"]["value"], 2);
  EXPECT_EQ(values["new_starts"]["value"], kStarts);
}

TEST_F(GateRun, TheLimitHoldsWhenItIsMeasuredAgainToo) {
  const Finished run =
      run_program({"run", "--against", put("a.json", report(1).dump()), "--new-program",
                   build("new", {report(1.04)}), "--no-progress", "--max-drop", "1%"});
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_EQ(log().size(), 1U + 2 * kStarts);
}

TEST_F(GateRun, PairsInTwoStatesOfTheMachineDoNotCountAndOthersAreTaken) {
  const auto fast = [](Json& made) { in_state(made, 70e-9); };
  const auto slow = [](Json& made) { in_state(made, 300e-9); };
  // Every other pair saw two states, in which the new build looks slower.
  const Finished run = ab(build("old", {report(1, fast)}),
                          build("new", {report(1, fast), report(1, fast), report(3, slow)}));
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_GT(log().size(), 1 + 2 * kPairs);
  EXPECT_LE(log().size(), 1 + 6 * kPairs);
  EXPECT_FALSE(has(run.out, "slower: ")) << run.out;
}

TEST_F(GateRun, AgainstAReportItsConfigurationIsMeasured) {
  const std::string base = put("base.json", report(1).dump());
  const Finished run = run_program({"run", "--against", base, "--new-program",
                                    build("new", {report(1.5)}), "--no-progress", "--verdicts",
                                    folder_.path("v.json"), "-J", folder_.path("new.json")});
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  const Words starts = log();
  ASSERT_EQ(starts.size(), 1 + 2 * kStarts);
  EXPECT_TRUE(has(starts[0], "--config " + base)) << starts[0];
  EXPECT_EQ(read_report(folder_.path("v.json"))["result"], "fail");
  EXPECT_EQ(read_report(folder_.path("new.json"))["records"].size(), report(1)["records"].size());
}

TEST_F(GateRun, WrongDataInAStartIsExit3) {
  const auto wrong = [](Json& made) {
    made["records"][0]["status"] = "wrong";
    made["records"][0]["verify"]["wrong"] = 1;
    made["records"][0]["verify"]["verdict"] = "wrong";
  };
  EXPECT_EQ(ab(build("old", {report(1)}), build("new", {report(1, wrong)})).exit_code, 3);
}

void tell_wrong(Json& made, size_t record) {
  made["records"][record]["status"] = "wrong";
  made["records"][record]["verify"]["wrong"] = 1;
  made["records"][record]["verify"]["verdict"] = "wrong";
}

TEST_F(GateRun, WrongDataOfTheFirstStartCountsThoughItsTimesDoNot) {
  std::vector<Json> moods(1 + kPairs, report(1));
  moods[0] = report(5, [](Json& made) { tell_wrong(made, 0); });
  const Finished run = ab(build("old", {report(1)}), build("new", moods));
  EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
  EXPECT_FALSE(has(run.err, "measured again")) << run.err;

  std::filesystem::remove(folder_.path("log"));
  moods.resize(1 + kStarts);
  const Finished against = run_program({"run", "--against", put("base.json", report(1).dump()),
                                        "--new-program", build("new", moods), "--no-progress"});
  EXPECT_EQ(against.exit_code, 3) << against.out << against.err;
}

TEST_F(GateRun, AStartThatSaysWrongDataItselfIsJudged) {
  const std::string fresh = build("new", {report(1, [](Json& made) { tell_wrong(made, 0); })});
  std::ofstream(fresh, std::ios::app) << "exit 3\n";
  const Finished run = ab(build("old", {report(1)}), fresh);
  EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
  EXPECT_TRUE(has(run.out, "WRONG DATA")) << run.out;
}

TEST_F(GateRun, WrongDataIsNotForgottenWhenItsSizeIsMeasuredAgain) {
  // Of both algorithms at all sizes; all but the wrong one look slower.
  std::vector<Json> moods(1 + kPairs, report(1.3));
  tell_wrong(moods[3], 0);
  moods.resize(1 + 2 * kPairs, report(1));
  const Finished run = ab(build("old", {report(1)}), build("new", moods));
  EXPECT_TRUE(has(run.err, "measured again")) << run.err;
  EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
}

TEST_F(GateRun, WhatCannotBeToldFailsIfAsked) {
  const auto busy = [](Json& made) {
    for (Json& record : made["records"]) record["flags"] = {"busy machine"};
  };
  const std::string old = build("old", {report(1)}), fresh = build("new", {report(1, busy)});
  EXPECT_EQ(ab(old, fresh, {"--starts", "2"}).exit_code, 0);
  EXPECT_EQ(ab(old, fresh, {"--starts", "2", "--fail-unsure"}).exit_code, 1);
}

TEST_F(GateRun, NothingIsLeftInTheFolderForTemporaryFiles) {
  const std::string temporary = folder_.path("tmp");
  std::filesystem::create_directory(temporary);
  const auto end_of = [&](const std::string& old, const Words& more) {
    Words words{"run", "--ab", old, "--new-program", build("new", {report(1)}), "--no-progress"};
    words.insert(words.end(), more.begin(), more.end());
    Process process(words, {{"TMPDIR", temporary}});
    return process.wait();
  };
  const Finished good = end_of(build("old", {report(1)}), {"--starts", "2"});
  const Finished bad = end_of(script("bad", "exit 2\n"), {});
  const Finished late =
      end_of(script("late", "trap '' TERM INT\nwhile :; do sleep 1; done\n"), {"--timeout", "1"});
  EXPECT_EQ(late.exit_code, 4) << late.out << late.err;
  EXPECT_EQ(good.exit_code, 0) << good.out << good.err;
  EXPECT_EQ(bad.exit_code, 2) << bad.out << bad.err;
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST_F(GateRun, ABuildThatFailsIsNamedWithItsWords) {
  const Finished run =
      ab(script("old", "echo 'no such option' >&2; exit 2\n"), build("new", {report(1)}));
  EXPECT_EQ(run.exit_code, 2) << run.out << run.err;
  EXPECT_TRUE(has(run.err, "no such option")) << run.err;
  EXPECT_TRUE(has(run.err, folder_.path("old"))) << run.err;
  EXPECT_EQ(ab(folder_.path("absent"), build("new", {report(1)})).exit_code, 5);
  EXPECT_EQ(ab(script("late", "exit 4\n"), build("new", {report(1)})).exit_code, 4);
}

TEST_F(GateRun, ABuildThatWritesNothingIsNotJudgedByTheReportBeforeIt) {
  const Finished run = ab(script("mute", "exit 0\n"), build("new", {report(1)}));
  EXPECT_EQ(run.exit_code, 5) << run.out << run.err;
  EXPECT_TRUE(has(run.err, "it wrote no report")) << run.err;
}

TEST_F(GateRun, StartsThatMeasureNothingAreToldByWhatTheyReport) {
  const auto skip = [](Json& made) {
    for (Json& record : made["records"]) {
      record["status"] = "skipped";
      record["reason"] = "needs 4 TiB";
      record["time_s"] = record["algbw_gbps"] = record["busbw_gbps"] = nullptr;
    }
  };
  const std::string empty = build("old", {report(1, skip)});
  std::ofstream(empty, std::ios::app) << "exit 2\n";
  const Finished run = ab(empty, build("new", {report(1)}));
  EXPECT_EQ(run.exit_code, 2) << run.out << run.err;
  EXPECT_TRUE(has(run.err, "no row to judge")) << run.err;
  EXPECT_TRUE(has(run.err, "needs 4 TiB")) << run.err;
  const auto half = [](Json& made) { made["complete"] = false; };
  const std::string refused = build("half", {report(1, half)});
  std::ofstream(refused, std::ios::app) << "echo 'no such root' >&2; exit 2\n";
  const Finished other = ab(refused, build("new", {report(1)}));
  EXPECT_EQ(other.exit_code, 2) << other.out << other.err;
  EXPECT_TRUE(has(other.err, "no such root")) << other.err;
}

TEST_F(GateRun, AFormatThatVerdictsDoNotHaveIsRefused) {
  const Finished run =
      ab(build("old", {report(1)}), build("new", {report(1)}), {"--format", "csv"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(has(run.err, "csv") && has(run.err, "--junit")) << run.err;
}

TEST_F(GateRun, AnInterruptEndsTheStartToo) {
  Process process({"run", "--ab", script("old", "exec sleep 60\n"), "--new-program",
                   script("new", "exec sleep 60\n"), "--no-progress"});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  process.send(SIGINT);
  const Finished run = process.wait(30);
  EXPECT_EQ(run.exit_code, 130) << run.err;
  EXPECT_TRUE(has(run.err, "interrupted")) << run.err;
}

}  // namespace
}  // namespace arb
