// What a job writes: one table and one report, by its first process, with every result right.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tests/program/mpi_job.hpp"

namespace arb {
namespace {

nlohmann::json report_of(int processes, const Words& arguments) {
  const Folder folder;
  const Finished run = run_job(processes, arguments + Words{"-J", folder.path("r.json")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return read_report(folder.path("r.json"));
}

void expect_all_right(const nlohmann::json& report) {
  EXPECT_TRUE(report["complete"]);
  for (const auto& record : report["records"]) {
    EXPECT_EQ(record["backend"], "mpi");
    // It needs more than a MiB for each rank, and says so.
    if (record["algorithm"] == "openmpi:segmented-ring") continue;
    EXPECT_EQ(record["status"], "ok") << record;
    EXPECT_EQ(record["verify"]["verdict"], "ok") << record;
    EXPECT_GT(record["time_s"]["median"], 0) << record;
    EXPECT_EQ(record["time_s"]["n"], 8) << record;
  }
}

TEST(MpiResults, OneLaunchMeasuresEveryRankCountAndPrintsOneTable) {
  const Folder folder;
  const Finished run =
      run_job(4, brief({"--sizes", "1K,64K", "--ranks", "1,2,3,4", "--algorithms",
                        "ring,one-shot,openmpi:default", "-J", folder.path("r.json")}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(times_said(run.out, "vs best"), 5U)
      << run.out;  // the legend, and a head for each count
  EXPECT_EQ(times_said(run.out, "All 24 results correct."), 1U) << run.out;
  EXPECT_EQ(run.out.find('\x1b'), std::string::npos) << "colours, though nobody sees them";
  const auto report = read_report(folder.path("r.json"));
  expect_all_right(report);
  EXPECT_EQ(report["records"].size(), 3U * 2 * 4);
  std::multiset<int> ranks;
  for (const auto& record : report["records"]) {
    EXPECT_EQ(record["nodes"], 1);
    EXPECT_EQ(record["kind"], record["algorithm"] == "ring" ? "scheduled" : "native");
    ranks.insert(record["ranks"].get<int>());
  }
  for (const int count : {1, 2, 3, 4}) EXPECT_EQ(ranks.count(count), 6U) << count;
  const auto& environment = report["environment"];
  EXPECT_EQ(environment["mpi"].get<std::string>().rfind("Open MPI ", 0), 0U) << environment;
  ASSERT_EQ(environment["placement"].size(), 1U) << environment;
  const std::string placement = environment["placement"][0];
  EXPECT_NE(placement.find(": 0,1,2,3"), std::string::npos) << placement;
  EXPECT_EQ(environment["variables"]["OMPI_COMM_WORLD_SIZE"], "4");
}

TEST(MpiResults, OneProcessMayAskForMpiInAConfigurationToo) {
  const Folder folder;
  std::ofstream(folder.path("c.json")) << R"({"backend": "mpi"})";
  for (const Words& asked : {Words{"--backend", "mpi"}, Words{"--config", folder.path("c.json")}}) {
    const Words words = brief({"--ranks", "1", "--sizes", "1K", "--algorithms", "ring"}) + asked;
    const Finished run = run_words(alone(words + Words{"-J", folder.path("r.json")}));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const auto report = read_report(folder.path("r.json"));
    expect_all_right(report);
    EXPECT_EQ(report["records"].size(), 1U);
  }
}

TEST(MpiResults, EveryPathIsTakenAndNamed) {
  const std::map<std::string, std::string> protocols{
      {"shm", "shm"}, {"messages", "messages"}, {"auto", "shm"}};
  for (const auto& [path, protocol] : protocols) {
    const auto report =
        report_of(3, brief({"--sizes", "100,100K", "--ranks", "2,3", "--place", "both",
                            "--algorithms", "ring,tree,openmpi:ring", "--path", path}));
    expect_all_right(report);
    EXPECT_EQ(report["records"].size(), 3U * 2 * 2 * 2) << path;
    for (const auto& record : report["records"]) {
      const std::string said = record["protocol"];
      const bool openmpi = record["algorithm"] == "openmpi:ring";
      EXPECT_EQ(said.rfind(openmpi ? "mpi" : protocol, 0), 0U) << path << record;
    }
  }
}

TEST(MpiResults, EveryAlgorithmOfEveryCollectiveIsRight) {
  for (const std::string collective :
       {"all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce"}) {
    const auto report = report_of(
        4, brief({"--collective", collective, "--sizes", "12K", "--ranks", "3,4", "--in-place"}));
    expect_all_right(report);
    size_t openmpi = 0;
    for (const auto& record : report["records"]) {
      EXPECT_TRUE(record["in_place"]);
      if (record["algorithm"].get<std::string>().rfind("openmpi:", 0) == 0) ++openmpi;
    }
    EXPECT_GE(openmpi, collective == "all-reduce" ? 10U : 2U) << collective;
  }
}

TEST(MpiResults, AlgorithmsThatNeedSharedMemoryAreSkippedWithoutIt) {
  const auto report =
      report_of(2, brief({"--sizes", "1K", "--path", "messages", "--algorithms", "one-shot,ring"}));
  EXPECT_EQ(report["records"][0]["status"], "skipped");
  EXPECT_NE(report["records"][0]["reason"].get<std::string>().find("memory"), std::string::npos);
  EXPECT_EQ(report["records"][1]["status"], "ok");
}

TEST(MpiResults, StdoutHoldsTheChosenFormatAndNothingElse) {
  const Words words = brief({"--sizes", "1K,2K", "--algorithms", "ring,tree", "--ranks", "3"});
  const Finished json = run_job(3, words + Words{"--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["records"].size(), 4U);
  EXPECT_EQ(json.err, "");
  const Finished csv = run_job(3, words + Words{"--format", "csv"});
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 5) << csv.out;
  EXPECT_EQ(csv.err, "");
}

TEST(MpiResults, VerbsThatNeedNoJobAnswerOnce) {
  EXPECT_EQ(times_said(run_job(3, {"--version"}).out, "allreduce-bench "), 1U);
  EXPECT_EQ(times_said(run_job(3, {"list"}).out, "openmpi:default"),
            times_said(run_words(alone({"list"})).out, "openmpi:default"));
}

TEST(MpiResults, AReaderThatGoesAwayIsNoCrash) {
  const Folder folder;
  std::string line;
  for (const std::string& word :
       under_mpirun(2, brief({"--sizes", "1K:16K", "--algorithms", "ring,tree", "-J",
                              folder.path("r.json")}))) {
    line += word + " ";
  }
  const Finished run = run_words({"bash", "-c", line + "| head -1"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(times_said(run.out, "\n"), 1U) << run.out;
  EXPECT_EQ(run.err.find("ignal"), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("terminate"), std::string::npos) << run.err;
  ASSERT_TRUE(all_ended(folder.path("r.json")));
  EXPECT_EQ(read_report(folder.path("r.json"))["records"].size(), 10U);
}

TEST(MpiResults, RanksWithoutAPartLeaveTheCoresToTheOthers) {
  const Folder folder;
  const std::string path = folder.path("r.json");
  Process job(under_mpirun(4, {"--sizes", "64K", "--ranks", "2", "--algorithms", "ring,tree", "-n",
                               "100000000", "--max-time", "200s", "--no-progress", "-J", path}));
  wait_for_records(path, 0);  // written when the sweep begins
  const auto ranks = wait_for_ranks(path, 4);
  ASSERT_EQ(ranks.size(), 4U);
  const auto work = [&](int rank) { return work_seconds(ranks.at(rank)); };
  const std::vector<double> before{work(0), work(1), work(2), work(3)};
  const auto at_work_since = [&] { return work(0) - before[0] + work(1) - before[1]; };
  for (int seconds = 0; seconds < 100 && at_work_since() < 2; ++seconds) sleep(1);
  const double at_work = at_work_since();
  const double resting = work(2) - before[2] + work(3) - before[3];
  EXPECT_GE(at_work, 2);
  EXPECT_LT(resting, at_work / 10);
  job.send(SIGTERM);
  job.wait();
  EXPECT_TRUE(all_ended(path));
}

}  // namespace
}  // namespace arb
