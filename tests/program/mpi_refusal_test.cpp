// What cannot be run under a launcher is said once, by one process, with the remedy.
#include <gtest/gtest.h>

#include "tests/program/mpi_job.hpp"

namespace arb {
namespace {

void expect_refused(const Words& words, int code, const Words& said) {
  const Finished run = run_words(words);
  EXPECT_EQ(run.exit_code, code) << said[0] << run.err;
  EXPECT_EQ(run.out, "") << said[0];
  EXPECT_EQ(times_said(run.err, "allreduce-bench: "), 1U) << run.err;
  for (const std::string& one : said) {
    EXPECT_NE(run.err.find(one), std::string::npos) << one << "\n" << run.err;
  }
}

TEST(MpiRefusal, ABadCommandLineIsSaidOnce) {
  expect_refused(under_mpirun(3, {"--nope"}), 2, {"--nope"});
  expect_refused(under_mpirun(4, {"--ranks", "8"}), 2, {"--ranks 8", "mpirun -np 8"});
  expect_refused(under_mpirun(2, {"--backend", "host"}), 2, {"--backend host", "2 were launched"});
  expect_refused(under_mpirun(2, {"--timeout", "-1"}), 2, {"--timeout"});
}

TEST(MpiRefusal, AnOutputThatCannotBeWrittenIsSaidOnce) {
  const Folder folder;
  expect_refused(under_mpirun(3, brief({"-J", folder.path("missing/r.json")})), 2, {"missing"});
}

TEST(MpiRefusal, WhatNeedsALauncherIsNamedWithoutOne) {
  expect_refused(alone({"--algorithms", "openmpi:ring"}), 2, {"openmpi:ring", "mpirun -np"});
  expect_refused(alone({"--path", "shm"}), 2, {"--path", "mpirun -np"});
  expect_refused(alone({"--backend", "mpi"}), 5, {"--backend mpi", "mpirun -np 4"});
}

TEST(MpiRefusal, ProcessesOfAForeignLauncherAreToldTheCureByTheFirst) {
  expect_refused(alone({}, {{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}}), 5,
                 {"2 processes were launched (PMI_SIZE)", "another MPI's launcher"});
  const Finished second = run_words(alone({}, {{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}}));
  EXPECT_EQ(second.exit_code, 5);
  EXPECT_EQ(second.err, "");
  EXPECT_EQ(second.out, "");
}

TEST(MpiRefusal, DifferentOptionsNameTheRankThatDiffers) {
  const Words same = brief({"--sizes", "1K"});
  expect_refused(
      under_mpirun(2, same, 1, brief({"--sizes", "2K"})), 2,
      {"rank 0 was started with: -n 8", "--sizes 1K", "rank 2 with: -n 8", "--sizes 2K"});
  // Even if one of them would be refused for another reason.
  expect_refused(under_mpirun(1, same, 1, {"--nope"}), 2, {"rank 1 with: --nope"});
}

}  // namespace
}  // namespace arb
