// What is not understood is refused before anything runs, in words that name it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/program/process.hpp"

namespace arb {
namespace {

void expect_refused(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& said) {
  const Finished run = run_program(arguments);
  std::string line;
  for (const std::string& argument : arguments) line += argument + " ";
  EXPECT_EQ(run.exit_code, 2) << line << run.err;
  EXPECT_EQ(run.out, "") << line;
  for (const std::string& words : said)
    EXPECT_NE(run.err.find(words), std::string::npos) << line << run.err;
}

TEST(Usage, BadSizesAreNamed) {
  for (const char* size : {"nan", "inf", "-8", "8kjunk", "1,000x", "", "0x10"}) {
    expect_refused({"--sizes", size}, {"--sizes"});
  }
  expect_refused({"-b", "8", "-e", "18446744073709551616"}, {"-e", "too large"});
  expect_refused({"-b", "8", "-e", "99999999T"}, {"-e", "too large"});
}

TEST(Usage, BadStepsCountsAndFactors) {
  expect_refused({"-b", "8", "-e", "64", "-i", "0"}, {"-i"});
  for (const char* factor : {"1", "0", "abc", "nan"}) {
    expect_refused({"-b", "8", "-e", "64", "-f", factor}, {"-f", factor});
  }
  for (const char* count : {"0", "abc", "-3", "1.5"}) expect_refused({"-n", count}, {"-n", count});
  expect_refused({"-w", "-1"}, {"-w", "-1"});
}

TEST(Usage, UnknownWordsGetTheNearest) {
  expect_refused({"--nope"}, {"--nope"});
  expect_refused({"-o", "summ"}, {"summ", "sum"});
  expect_refused({"-d", "flaot"}, {"flaot", "float"});
  expect_refused({"--algorithms", "rnig"}, {"rnig", "ring"});
  expect_refused({"--collective", "allreduc"}, {"allreduc", "all-reduce"});
  expect_refused({"prvoe"}, {"prvoe", "prove"});
}

TEST(Usage, OutputPathsAreTriedBeforeTheFirstMeasurement) {
  const Folder folder;
  expect_refused(quick({"-J", folder.path("report.xml")}), {"report.xml", ".json"});
  expect_refused(quick({"-J", folder.path("missing/report.json")}), {"missing"});
}

TEST(Usage, HelpAndVersionGoToStdout) {
  const Finished help = run_program({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.err, "");
  for (const char* option :
       {"--sizes", "--ranks", "--algorithms", "--timeout", "prove", "doctor"}) {
    EXPECT_NE(help.out.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(help.out.find("--inject"), std::string::npos);
  const Finished version = run_program({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_NE(version.out.find("allreduce-bench"), std::string::npos);
}

TEST(Usage, ABackendThatIsNotThereIsAnEnvironmentError) {
  // More than any machine has; without a GPU 4 are as many.
  for (const char* gpus : {"4", "4000"}) {
    const Finished run = run_program({"--backend", "cuda", "--gpus", gpus, "--sizes", "8"});
    if (run.exit_code == 0) continue;
    EXPECT_EQ(run.exit_code, 5) << run.err;
    EXPECT_NE(run.err.find(std::string("asked for ") + gpus + " GPUs, found "), std::string::npos)
        << run.err;
    EXPECT_EQ(run.out, "");
  }
  const Finished alone = run_program({"--gpus", "4000"});
  EXPECT_EQ(alone.exit_code, 5) << "asking for GPUs is asking for the backend; " << alone.err;
}

TEST(Usage, WhatIsSaidOfGpusIsForTheirBackend) {
  expect_refused({"--protocol", "ll", "--backend", "host"}, {"--protocol", "--backend cuda"});
  expect_refused({"--launch", "graph", "--backend", "mpi"}, {"--launch", "--backend cuda"});
  expect_refused({"--ranks-per-gpu", "many"}, {"--ranks-per-gpu", "many"});
  expect_refused({"--protocol", "fast"}, {"--protocol", "simple, ll"});
}

TEST(Usage, SeveralProcessesThatCannotSeeEachOther) {
  const Finished run =
      run_program(quick({}), {{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "0"}});
  EXPECT_EQ(run.exit_code, 5);
  EXPECT_NE(run.err.find("2 processes were launched"), std::string::npos) << run.err;
  EXPECT_EQ(run.out, "");
}

TEST(Usage, StrictEndsWhatCannotRun) {
  const std::vector<std::string> partly{"--sizes", "8B,4TB", "--ranks", "2", "--no-progress"};
  const Finished lenient = run_program(partly);
  EXPECT_EQ(lenient.exit_code, 0) << lenient.err;
  EXPECT_NE(lenient.out.find("skipped"), std::string::npos) << lenient.out;
  EXPECT_NE(lenient.out.find("TiB"), std::string::npos) << lenient.out;
  EXPECT_EQ(lenient.err.find("nothing was measured"), std::string::npos) << lenient.err;
  std::vector<std::string> strict = partly;
  strict.push_back("--strict");
  EXPECT_EQ(run_program(strict).exit_code, 5);
}

// A gate that looks at the exit code alone must not pass on a sweep of nothing.
TEST(Usage, ASweepThatMeasuresNothingIsNoSuccess) {
  const Finished run = run_program({"--sizes", "4TB", "--ranks", "2", "--algorithms", "ring,tree",
                                    "--no-progress", "--format", "json"});
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_NE(run.err.find("nothing was measured: 2 cases skipped"), std::string::npos) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["records"].size(), 2U);
}

}  // namespace
}  // namespace arb
