// A job of which one process dies, stops or stands still ends as a whole, in time, and says where
// every rank was. What is on disk is a valid report of what was done.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/program/mpi_job.hpp"

namespace arb {
namespace {

constexpr double kSlack = 30;  // seconds; they stood still for ever before

constexpr int kLimits[] = {4, 20, 100};  // seconds, until a loaded machine comes to the fault

std::string seconds(int count) { return std::to_string(count) + "s"; }

/// Four ranks of which the second of three takes no part from iteration 2 on.
Finished run_stalled(const std::string& path, const std::string& algorithm,
                     const std::string& report) {
  Finished run;
  for (const int limit : kLimits) {
    run = run_job(4, {"--sizes", "64K", "--ranks", "3", "--algorithms", algorithm, "-n", "20",
                      "--path", path, "--inject", "stall:rank=1,iteration=2", "--timeout",
                      seconds(limit), "--no-progress", "-J", report});
    EXPECT_EQ(run.exit_code, 4) << run.err;
    EXPECT_LT(run.seconds, limit + kSlack);
    EXPECT_TRUE(all_ended(report));
    if (run.err.find("takes no part") != std::string::npos) break;
  }
  return run;
}

Words long_run(const std::string& report) {
  return {"--sizes",       "1K:64M",     "--ranks", "3",           "--algorithms",
          "ring,tree",     "--max-time", "2s",      "--precision", "0.001%",
          "--no-progress", "-J",         report};
}

TEST(MpiEnd, ARankThatTakesNoPartIsNamedInTime) {
  for (const std::string path : {"shm", "messages"}) {
    const Folder folder;
    const std::string file = folder.path("r.json");
    const Finished run = run_stalled(path, "ring", file);
    for (const char* words : {"allreduce-bench: time limit of ", "64KB, ring stopped",
                              "rank 1: iteration 2: takes no part", "rank 2, lane 0 (ring), step",
                              "waits for data from rank 1"}) {
      EXPECT_NE(run.err.find(words), std::string::npos) << words << run.err;
    }
    const auto report = read_report(file);
    EXPECT_FALSE(report["complete"]);
    EXPECT_EQ(report["records"][0]["status"], "timeout");
    EXPECT_NE(report["partial_reason"].get<std::string>().find("rank 1"), std::string::npos);
  }
}

TEST(MpiEnd, RanksInsideACallOfMpiSayWhoWaitsAndWhoTakesNoPart) {
  for (const std::string path : {"shm", "messages"}) {
    const Folder folder;
    const std::string file = folder.path("r.json");
    const Finished run = run_stalled(path, "openmpi:default", file);
    EXPECT_NE(run.err.find("rank 0: iteration 2: inside MPI_Allreduce (openmpi:default)"),
              std::string::npos)
        << run.err;
    EXPECT_NE(run.err.find("rank 1: time limit of "), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("takes no part"), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find("rank 3"), std::string::npos) << "it had no part in it" << run.err;
    EXPECT_FALSE(read_report(file)["complete"]);
  }
}

TEST(MpiEnd, AStoppedProcessDoesNotAnswer) {
  Finished run;
  for (const int limit : {12, 60, 240}) {
    const Folder folder;
    const std::string file = folder.path("r.json");
    Process job(under_mpirun(3, long_run(file) + Words{"--timeout", seconds(limit)}));
    if (!has_records(file, 2, limit / 2)) continue;
    const auto ranks = ranks_with(file);
    ASSERT_EQ(ranks.size(), 3U);
    kill(ranks.at(1), SIGSTOP);
    run = job.wait(limit + 2 * kSlack);
    EXPECT_LT(run.seconds, limit + kSlack);
    EXPECT_TRUE(all_ended(file));
    const auto report = read_report(file);
    EXPECT_FALSE(report["complete"]);
    EXPECT_GE(report["records"].size(), 2U);
    break;
  }
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_NE(run.err.find("rank 1: does not answer"), std::string::npos) << run.err;
}

TEST(MpiEnd, AStoppedProcessEndsTheJobWhileItStartsToo) {
  const Folder folder;
  const std::string marker = folder.path("r.json");
  Process job(under_mpirun(2, long_run(marker) + Words{"--timeout", "4s"}));
  const auto stopped = wait_for_ranks(marker, 2);
  ASSERT_EQ(stopped.size(), 2U);
  kill(stopped.at(1), SIGSTOP);
  const Finished run = job.wait(120);
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_NE(run.err.find("time limit"), std::string::npos) << run.err;
  EXPECT_TRUE(all_ended(marker));
}

/// mpirun ends a job that lost a process: by its own exit code (128 + signal) and message; what is
/// left to us is the report.
TEST(MpiEnd, AKilledProcessEndsTheJobAndLeavesTheReport) {
  for (const int killed : {0, 1}) {
    const Folder folder;
    const std::string file = folder.path("r.json");
    Process job(under_mpirun(3, long_run(file)));
    wait_for_records(file, 2);
    const auto ranks = wait_for_ranks(file, 3);
    ASSERT_EQ(ranks.size(), 3U);
    kill(ranks.at(killed), SIGKILL);
    const Finished run = job.wait(120);
    EXPECT_EQ(run.exit_code, 128 + SIGKILL) << run.err;
    EXPECT_NE(run.err.find("rank " + std::to_string(killed) + " with PID"), std::string::npos)
        << run.err;
    EXPECT_TRUE(all_ended(file));
    const auto report = read_report(file);
    EXPECT_FALSE(report["complete"]);
    EXPECT_GE(report["records"].size(), 2U);
  }
}

TEST(MpiEnd, AnInterruptedJobLeavesAPartialReport) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Folder folder;
    const std::string file = folder.path("r.json");
    Process job(under_mpirun(3, long_run(file)));
    wait_for_records(file, 2);
    job.send(signal);
    const Finished run = job.wait(120);
    EXPECT_NE(run.exit_code, 0) << run.err;
    EXPECT_TRUE(all_ended(file));
    const auto report = read_report(file);
    EXPECT_FALSE(report["complete"]);
    EXPECT_GE(report["records"].size(), 2U);
  }
}

}  // namespace
}  // namespace arb
