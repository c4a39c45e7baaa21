// A report repeats its run, sweeps that are shipped run, and what a case met is in its records.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/program/process.hpp"

namespace arb {
namespace {

using Words = std::vector<std::string>;
using Case = std::tuple<std::string, std::string, int64_t, int64_t, int64_t, std::string, bool,
                        std::string, int64_t>;

Words together(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

nlohmann::json report_of(const Words& arguments, const std::string& path) {
  const Finished run = run_program(together(arguments, {"--no-progress", "-J", path}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return read_report(path);
}

std::multiset<Case> cases_of(const nlohmann::json& report) {
  std::multiset<Case> all;
  for (const auto& r : report["records"]) {
    all.emplace(r["backend"], r["algorithm"], r["ranks"], r["count"], r["requested_bytes"],
                r["dtype"].get<std::string>() + r["op"].get<std::string>(), r["in_place"],
                r["cache"].get<std::string>() + r["status"].get<std::string>(), r["unalign"]);
  }
  return all;
}

const std::vector<Words> kRuns = {
    {"--sizes", "8B,4K", "-n", "6", "-w", "0"},
    {"-b", "10", "-e", "100", "-i", "30", "--ranks", "1,3", "-d", "double", "-o", "max", "--place",
     "both", "--max-time", "1ms", "--precision", "0.5%"},
    {"--collective", "reduce", "--root", "1", "--ranks", "2", "--sizes", "1K", "-n", "6",
     "--in-place", "--no-check", "--cache", "cold", "--seed", "5"},
    {"--algorithms", "one-shot,ring", "--ranks", "2", "--sizes", "64K", "-n", "6", "--slots", "2",
     "--slot-bytes", "4K", "--workers", "1", "--unalign", "1", "-c", "2"},
};

TEST(Repeating, AReportIsAConfigurationOfTheSameCases) {
  for (const Words& words : kRuns) {
    const Folder folder;
    const auto first = report_of(words, folder.path("first.json"));
    const auto second =
        report_of({"--config", folder.path("first.json")}, folder.path("second.json"));
    EXPECT_EQ(second["config"], first["config"]);
    EXPECT_EQ(cases_of(second), cases_of(first));
    EXPECT_FALSE(cases_of(first).empty());
  }
}

TEST(Repeating, TheCommandLineChangesWhatItNames) {
  const Folder folder;
  const auto first = report_of(kRuns[0], folder.path("first.json"));
  const auto second =
      report_of({"--config", folder.path("first.json"), "-e", "16", "--ranks", "3", "--in-place"},
                folder.path("second.json"));
  auto wanted = first["config"];
  wanted["sizes"] = "8B,16B";
  wanted["ranks"] = "3";
  wanted["place"] = "in-place";
  EXPECT_EQ(second["config"], wanted);
  for (const auto& record : second["records"]) EXPECT_EQ(record["time_s"]["n"], 6);
}

TEST(Repeating, AnotherFileIsRefusedBeforeAnythingRuns) {
  const Folder folder;
  const Finished run = run_program({"--config", folder.path("none.json")});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("none.json: cannot be read"), std::string::npos) << run.err;
  EXPECT_EQ(run.out, "");
}

TEST(Sweeps, TheQuickOneRunsAndIsRight) {
  const Folder folder;
  const auto report = report_of(
      {"--config", ARB_SOURCE_DIR "/configs/sweeps/quick.json", "-n", "6"}, folder.path("r.json"));
  EXPECT_TRUE(report["complete"]);
  for (const auto& record : report["records"]) EXPECT_EQ(record["verify"]["verdict"], "ok");
}

TEST(Handoff, IsInEveryRecordOfRanksWithCoresOfTheirOwn) {
  const Folder folder;
  const auto report =
      report_of({"--sizes", "8B,1K", "--ranks", "1,2,3", "-n", "6"}, folder.path("r.json"));
  const bool two_cores = report["environment"]["cores_usable"] >= 2;
  for (const auto& record : report["records"]) {
    const auto& handoff = record["handoff_s"];
    const bool wanted = record["ranks"] > 1 && two_cores;  // ranks share workers, one per core
    EXPECT_EQ(handoff.is_array(), wanted) << record;
    if (!wanted) continue;
    ASSERT_EQ(handoff.size(), 2U);
    EXPECT_GT(handoff[0], 0);
    EXPECT_GT(handoff[1], 0);
  }
  const std::string many = std::to_string(report["environment"]["cores_usable"].get<int>() + 1);
  const auto crowded = report_of(
      {"--sizes", "8B", "--ranks", many, "--workers", many, "-n", "6", "--algorithms", "one-shot"},
      folder.path("c.json"));
  for (const auto& record : crowded["records"]) EXPECT_TRUE(record["handoff_s"].is_null());
}

TEST(SlowRank, ChangesNoDataAndFailsNothing) {
  const Folder folder;
  const auto report =
      report_of(quick({"--inject", "slow:share=0.5,rank=1"}), folder.path("r.json"));
  for (const auto& record : report["records"]) EXPECT_EQ(record["verify"]["verdict"], "ok");
}

}  // namespace
}  // namespace arb
