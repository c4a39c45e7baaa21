// accept under mpirun: this machine is one node, so its ranks are judged together.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/program/mpi_job.hpp"

namespace arb {
namespace {

using Json = nlohmann::json;

std::string profile_in(const Folder& folder, const std::string& backend) {
  const Json stage = {
      {"algorithms", "ring"}, {"sizes", "8B,4KB"}, {"iterations", 6}, {"warmup", 1}};
  Json soak = stage;
  soak["minutes"] = 5;
  const Json profile = {
      {"profile_version", 1},
      {"name", "brief"},
      {"description", "for tests"},
      {"source", "none"},
      {"backend", backend},
      {"stages", {{"alone", stage}, {"pairs", stage}, {"all", stage}, {"soak", soak}}}};
  const std::string path = folder.path("profile.json");
  std::ofstream(path) << profile.dump();
  return path;
}

Words accept(const Folder& folder, const Words& more, const std::string& backend = "mpi") {
  return Words{"accept",     "--no-progress",      "--profile", profile_in(folder, backend),
               "--verdicts", folder.path("v.json")} +
         more;
}

TEST(MpiAccept, OneNodeIsMeasuredAloneAndAsAWhole) {
  const Folder folder;
  const Finished run = run_job(3, accept(folder, {"--stages", "alone,pairs,all"}));
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_NE(run.err.find("pairs: skipped: 1 node is too few"), std::string::npos) << run.err;
  EXPECT_EQ(times_said(run.out, "PASS"), 1U) << run.out;
  const Json verdicts = read_report(folder.path("v.json"));
  EXPECT_TRUE(verdicts["complete"]);
  EXPECT_NE(verdicts["context"][2].get<std::string>().find("1 node, 3 ranks"), std::string::npos)
      << verdicts["context"];
}

TEST(MpiAccept, WrongDataOfAnyRankIsExitThree) {
  for (const std::string rank : {"0", "2"}) {
    const Folder folder;
    const Finished run =
        run_job(3, accept(folder, {"--stages", "alone,all", "--inject", "one-rank:rank=" + rank}));
    EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
    EXPECT_NE(run.out.find("rank " + rank + " ("), std::string::npos) << run.out;
  }
}

TEST(MpiAccept, WhatAllFindOutIsSaidOnce) {
  const Folder folder;
  Finished run = run_job(2, accept(folder, {"--stages", "groups"}));
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_EQ(times_said(run.err, "no such stage"), 1U) << run.err;
  run = run_job(2, {"accept", "--profile", "nothere"});
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_EQ(times_said(run.err, "there is no such file"), 1U) << run.err;
  run = run_job(2, accept(folder, {}, "host"));
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_EQ(times_said(run.err, "runs in one process"), 1U) << run.err;
}

TEST(MpiAccept, AHangIsCutAndTheVerdictsSoFarAreThere) {
  for (const int limit : {6, 30, 120}) {  // seconds, until a loaded machine comes to the fault
    const Folder folder;
    const Finished run =
        run_job(3, accept(folder, {"--stages", "alone,all", "--inject", "stall:rank=1,iteration=4",
                                   "-T", std::to_string(limit)}));
    EXPECT_EQ(run.exit_code, 4) << run.out << run.err;
    if (run.err.find("takes no part") == std::string::npos && limit < 120) continue;
    for (const char* words :
         {"alone, round 1: ", "(ranks 0-2: ", "rank 1: iteration 4: takes no"}) {
      EXPECT_NE(run.err.find(words), std::string::npos) << words << ": " << run.err;
    }
    return;
  }
}

TEST(MpiAccept, AnInterruptLeavesThePartialVerdict) {
  const Folder folder;
  const std::string verdicts = folder.path("v.json");
  Process process(under_mpirun(2, accept(folder, {"--stages", "alone,soak"})));
  for (int i = 0; i < 6000 && !std::filesystem::exists(verdicts); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const std::map<int, pid_t> ranks = ranks_with(verdicts);
  ASSERT_EQ(ranks.size(), 2U);
  kill(ranks.at(1), SIGINT);  // one is enough: it tells the others
  const Finished run = process.wait(60);
  EXPECT_EQ(run.exit_code, 130) << run.out << run.err;
  EXPECT_TRUE(all_ended(verdicts));
  EXPECT_FALSE(read_report(verdicts)["complete"]);
}

}  // namespace
}  // namespace arb
