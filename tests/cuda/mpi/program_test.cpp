// The whole program under mpirun, with a GPU for each process.
#include <gtest/gtest.h>

#include "tests/program/mpi_job.hpp"

namespace arb {
namespace {

Words on_gpus(const Words& more) {
  return brief({"--backend", "cuda", "--sizes", "64B", "--no-progress"}) + more;
}

TEST(CudaUnderMpirun, TwoProcessesShareOneReport) {
  const Folder folder;
  const Finished run = run_job(
      2, on_gpus({"--algorithms", "ring,naive-root,two-shot", "-J", folder.path("r.json")}));
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  const auto report = read_report(folder.path("r.json"));
  EXPECT_TRUE(report["complete"]);
  ASSERT_EQ(report["records"].size(), 3U);
  for (const auto& record : report["records"]) {
    EXPECT_EQ(record["backend"], "cuda");
    EXPECT_EQ(record["ranks"], 2);
    EXPECT_EQ(record["gpus"], 2);
    EXPECT_EQ(record["nodes"], 1);
    EXPECT_EQ(record["transport"], "direct") << record;
    EXPECT_EQ(record["verify"]["verdict"], "ok") << record;
  }
  EXPECT_EQ(report["environment"]["gpus"].size(), 2U);
}

TEST(CudaUnderMpirun, ARankThatStopsIsExitFourAndNamed) {
  const Finished run = run_job(2, on_gpus({"--algorithms", "ring", "--timeout", "3", "--inject",
                                           "stall:rank=1,iteration=2"}));
  EXPECT_EQ(run.exit_code, 4) << run.out << run.err;
  EXPECT_NE(run.err.find("takes no part"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace arb
