// A kill at any moment leaves a valid report of what was done.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/program/process.hpp"

namespace arb {
namespace {

std::vector<std::string> long_run(const std::string& report) {
  return {"--sizes",     "1K:1G", "--ranks",       "2",  "--max-time", "300ms",
          "--precision", "0.01%", "--no-progress", "-J", report};
}

void wait_for_records(const std::string& path, size_t records) {
  for (int i = 0; i < 6000; ++i) {
    if (std::filesystem::exists(path)) {
      try {
        if (read_report(path)["records"].size() >= records) return;
      } catch (const nlohmann::json::exception&) {
        FAIL() << "the report on disk was not valid JSON at some moment";
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  FAIL() << "no records within 30 s";
}

TEST(Signals, KilledItLeavesWhatWasDone) {
  const Folder folder;
  const std::string path = folder.path("r.json");
  Process process(long_run(path));
  wait_for_records(path, 7);
  process.send(SIGKILL);
  process.wait();
  const auto report = read_report(path);
  EXPECT_FALSE(report["complete"]);
  EXPECT_GE(report["records"].size(), 7u);
}

TEST(Signals, InterruptedItEndsWithAPartialReport) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Folder folder;
    const std::string path = folder.path("r.json");
    Process process(long_run(path));
    wait_for_records(path, 7);
    process.send(signal);
    const Finished run = process.wait(60);
    EXPECT_EQ(run.exit_code, 130) << run.err;
    const auto report = read_report(path);
    EXPECT_FALSE(report["complete"]);
    EXPECT_EQ(report["partial_reason"], "interrupted");
    EXPECT_GE(report["fits"].size(), 1u);
    EXPECT_NE(run.out.find("interrupted"), std::string::npos) << run.out;
  }
}

TEST(Signals, VerbsThatHaveNothingToSaveEndAtOnce) {
  Process process({"prove", "--algorithms", "ring", "--ranks", "2048"});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  process.send(SIGTERM);
  EXPECT_EQ(process.wait(60).signal, SIGTERM);
}

TEST(Signals, AFullDiskIsSaid) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const std::string program = ARB_PROGRAM;
  const Folder folder;
  for (const std::string arguments :
       {"list", "--help", "prove --ranks 2", "--sizes 1K --ranks 2 -n 10 --format json",
        "--sizes 1K --ranks 2 -n 10"}) {
    const std::string command = program + " " + arguments + " >/dev/full 2>" + folder.path("err");
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 5) << arguments;
    EXPECT_NE(read_text(folder.path("err")).find("standard output"), std::string::npos)
        << arguments;
  }
}

TEST(Signals, AReaderThatGoesAwayIsNoCrash) {
  const std::string program = ARB_PROGRAM;
  const Folder folder;
  const std::string command =
      "set -o pipefail; " + program + " --sizes 1K:64K --ranks 2 -n 10 --no-progress -J " +
      folder.path("r.json") + " 2>" + folder.path("err") + " | head -1 >" + folder.path("out");
  const int status = std::system(("bash -c '" + command + "'").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_text(folder.path("err")), "");
  EXPECT_TRUE(read_report(folder.path("r.json"))["complete"]);
}

}  // namespace
}  // namespace arb
