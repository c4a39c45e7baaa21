// accept on the cores of this machine, as its users start it.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "tests/program/process.hpp"

namespace arb {
namespace {

using Json = nlohmann::json;

/// A profile of short stages that demands nothing of the machine but right results.
Json brief_profile() {
  const Json stage = {
      {"algorithms", "ring"}, {"sizes", "8B,4KB"}, {"iterations", 6}, {"warmup", 1}};
  Json soak = stage;
  soak["minutes"] = 0.001;
  return {{"profile_version", 1},
          {"name", "brief"},
          {"description", "for tests"},
          {"source", "none"},
          {"backend", "host"},
          {"stages", {{"alone", stage}, {"pairs", stage}, {"all", stage}, {"soak", soak}}}};
}

std::string write(const Folder& folder, const Json& profile) {
  const std::string path = folder.path("profile.json");
  std::ofstream(path) << profile.dump(2);
  return path;
}

Finished accept(const std::vector<std::string>& more) {
  std::vector<std::string> words{"accept", "--no-progress"};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words);
}

bool one_core() { return std::thread::hardware_concurrency() < 2; }

TEST(Accept, AGoodMachinePassesAllStages) {
  if (one_core()) GTEST_SKIP() << "takes two cores";
  const Folder folder;
  const Finished run = accept({"--profile", write(folder, brief_profile()), "--verdicts",
                               folder.path("v.json"), "--junit", folder.path("v.xml")});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("PASS"), std::string::npos) << run.out;
  for (const char* stage : {"alone: ", "pairs: ", "all: ", "soak: "}) {
    EXPECT_NE(run.err.find(stage), std::string::npos) << run.err;
  }
  const Json verdicts = read_report(folder.path("v.json"));
  EXPECT_TRUE(verdicts["complete"]);
  EXPECT_EQ(verdicts["exit_code"], 0);
  EXPECT_EQ(verdicts["name"], "accept brief");
  EXPECT_EQ(verdicts["command"][1], "accept");
  EXPECT_FALSE(verdicts["started"].get<std::string>().empty());
  EXPECT_FALSE(read_text(folder.path("v.xml")).empty());
}

TEST(Accept, WrongDataIsExitThreeAndNamesTheCore) {
  if (one_core()) GTEST_SKIP() << "takes two cores";
  const Folder folder;
  const std::string profile = write(folder, brief_profile());
  for (const char* stages : {"alone,all", "alone,pairs,all,soak"}) {
    for (const int rank : {0, 1}) {
      const Finished run =
          accept({"--profile", profile, "--stages", stages, "--inject",
                  "flip-bit:rank=" + std::to_string(rank), "--verdicts", folder.path("v.json")});
      EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
      const Json verdicts = read_report(folder.path("v.json"));
      std::vector<std::string> named;
      for (const std::string finding : verdicts["findings"]) {
        if (finding.starts_with("FAIL ")) named.push_back(finding.substr(0, finding.find(':')));
      }
      ASSERT_EQ(named.size(), 1U) << verdicts["findings"];
      EXPECT_TRUE(named[0].starts_with("FAIL core ")) << named[0];
      // Cores are numbered upwards, so rank 0 is on the lower one.
      const std::string units = verdicts["context"][2];
      const size_t first = units.find("core ");
      const size_t core = rank == 0 ? first : units.find("core ", first + 1);
      EXPECT_EQ(units.substr(core, named[0].size() - 5), named[0].substr(5)) << units;
    }
  }
}

TEST(Accept, StagesThatWereNotAskedForAreSkipped) {
  const Folder folder;
  const Finished run = accept({"--profile", write(folder, brief_profile()), "--stages", "alone",
                               "--verdicts", folder.path("v.json")});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(run.err.find("pairs"), std::string::npos) << run.err;
  int skipped = 0;
  const Json verdicts = read_report(folder.path("v.json"));
  for (const Json& row : verdicts["rows"]) {
    if (row["result"] != "skipped") continue;
    ++skipped;
    EXPECT_EQ(row["why"], "--stages leaves it out");
  }
  EXPECT_EQ(skipped, 3);
}

TEST(Accept, ADemandThatNobodyMeetsFails) {
  const Folder folder;
  Json profile = brief_profile();
  profile["limits"] = Json::array({{{"stage", "alone"}, {"max_time_s", 1e-12}}});
  const Finished run = accept({"--profile", write(folder, profile), "--stages", "alone"});
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_NE(run.out.find("FAIL"), std::string::npos) << run.out;
}

TEST(Accept, WhatCannotBeToldPassesUnlessAskedOtherwise) {
  if (one_core()) GTEST_SKIP() << "takes two cores";
  const Folder folder;
  Json profile = brief_profile();
  profile["max_drift"] = 0.5;  // the soak is too short for that
  std::vector<std::string> words{
      "--profile", write(folder, profile), "--stages", "soak", "--minutes", "1e-6"};
  const Finished lenient = accept(words);
  EXPECT_EQ(lenient.exit_code, 0) << lenient.out << lenient.err;
  words.emplace_back("--fail-unsure");
  const Finished strict = accept(words);
  EXPECT_EQ(strict.exit_code, 1) << strict.out << strict.err;
  EXPECT_NE(strict.out.find("cannot be told (which fails, as asked)"), std::string::npos)
      << strict.out;
}

TEST(Accept, TheProfileOfALaptopPassesOrFailsButIsNeverWrong) {
  const Folder folder;
  const Finished run = accept({"--profile", "laptop", "--stages", "alone,pairs,groups,all",
                               "--verdicts", folder.path("v.json")});
  EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 1) << run.out << run.err;
  const Json verdicts = read_report(folder.path("v.json"));
  EXPECT_EQ(verdicts["exit_code"], run.exit_code);
  EXPECT_NE(run.out.find(run.exit_code == 0 ? "PASS" : "FAIL"), std::string::npos) << run.out;
}

TEST(Accept, TheSoakTakesTheMinutesItIsTold) {
  if (one_core()) GTEST_SKIP() << "takes two cores";
  const Folder folder;
  const Finished run = accept(
      {"--profile", write(folder, brief_profile()), "--stages", "soak", "--minutes", "0.02"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_GE(run.seconds, 1.2);
}

TEST(Accept, BadProfilesAndOptionsAreRefusedWithTheRemedy) {
  const Folder folder;
  const auto refused = [&](const std::vector<std::string>& words,
                           const std::vector<std::string>& said) {
    const Finished run = accept(words);
    EXPECT_EQ(run.exit_code, 2) << run.out << run.err;
    EXPECT_EQ(run.out, "");
    for (const std::string& each : said) {
      EXPECT_NE(run.err.find(each), std::string::npos) << each << ": " << run.err;
    }
  };
  const std::string good = write(folder, brief_profile());
  refused({}, {"--profile is missing", "laptop"});
  refused({"--profile", "nothere"}, {"there is no such file", "tried nothere", "nothere.json"});
  refused({"--profile", good, "--stages", "groups"}, {"no such stage", "alone, pairs"});
  refused({"--profile", good, "--stages", "pear"}, {"'pear': unknown stage", "pairs"});
  refused({"--profile", good, "--stages", "alone", "--minutes", "3"}, {"nothing is to be soaked"});
  refused({"--profile", good, "--minutes", "0"}, {"--minutes '0'", "above 0"});
  refused({"--profile", good, "--verdicts", "/nowhere/v.json"}, {"--verdicts", "no folder"});
  Json bad = brief_profile();
  bad["stages"]["pairs"]["szies"] = "8B";
  refused({"--profile", write(folder, bad)}, {"stages.pairs", "szies", "did you mean 'sizes'"});
  bad = brief_profile();
  bad["stages"]["pairs"]["algorithms"] = "rnig";
  refused({"--profile", write(folder, bad)}, {"stages.pairs", "rnig", "ring"});
  bad = brief_profile();
  bad["max_sprad"] = 0.5;
  refused({"--profile", write(folder, bad)}, {"max_sprad", "did you mean 'max_spread'"});
}

TEST(Accept, AProfileForAnotherBackendIsRefused) {
  const Folder folder;
  Json profile = brief_profile();
  profile["backend"] = "mpi";
  const Finished run = accept({"--profile", write(folder, profile)});
  EXPECT_EQ(run.exit_code, 5) << run.out << run.err;
  EXPECT_NE(run.err.find("mpirun"), std::string::npos) << run.err;
}

TEST(Accept, AHangIsCutAndNamed) {
  if (one_core()) GTEST_SKIP() << "takes two cores";
  const Folder folder;
  const Finished run =
      accept({"--profile", write(folder, brief_profile()), "--stages", "alone,all", "--inject",
              "stall:rank=1,iteration=2", "-T", "3s", "--verdicts", folder.path("v.json")});
  EXPECT_EQ(run.exit_code, 4) << run.out << run.err;
  for (const char* words : {"alone, round 1: core ", "time limit of 3 s", "takes no part"}) {
    EXPECT_NE(run.err.find(words), std::string::npos) << words << ": " << run.err;
  }
}

TEST(Accept, AnInterruptLeavesThePartialVerdict) {
  if (one_core()) GTEST_SKIP() << "takes two cores";
  const Folder folder;
  const std::string verdicts = folder.path("v.json");
  Process process({"accept", "--no-progress", "--profile", write(folder, brief_profile()),
                   "--minutes", "5", "--verdicts", verdicts});
  const auto stages = [&] {  // judged so far
    std::error_code error;
    if (!std::filesystem::exists(verdicts, error)) return size_t{0};
    const Json now = read_report(verdicts);
    EXPECT_FALSE(now["complete"]);
    std::set<std::string> groups;
    for (const Json& row : now["rows"]) {
      if (row["result"] == "pass") groups.insert(row["group"].get<std::string>());
    }
    return groups.size();
  };
  for (int i = 0; i < 6000 && stages() < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  process.send(SIGINT);
  const Finished run = process.wait(60);
  EXPECT_EQ(run.exit_code, 130) << run.out << run.err;
  const Json last = read_report(verdicts);
  EXPECT_FALSE(last["complete"]);
  EXPECT_GT(last["rows"].size(), 3U);
  EXPECT_FALSE(run.out.empty());
}

}  // namespace
}  // namespace arb
