// Wrong data under a launcher: caught on every path, whichever process holds it.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/program/mpi_job.hpp"

namespace arb {
namespace {

TEST(MpiFaults, WrongDataIsExitThreeAndNamedOnEveryPath) {
  const std::map<std::string, Words> faults{
      {"flip-bit", {"exact", "oracle"}},    {"one-rank", {"exact", "oracle", "ranks differ"}},
      {"swap-chunks", {"exact", "oracle"}}, {"past-end", {"guard"}},
      {"change-input", {"input changed"}},  {"double-rank", {"exact", "oracle"}},
      {"stale", {"exact", "oracle"}}};
  for (const std::string path : {"shm", "messages"}) {
    for (const auto& [fault, checks] : faults) {
      const Folder folder;
      const Finished run =
          run_job(3, brief({"--sizes", "3K", "--ranks", "3", "--algorithms", "ring,openmpi:default",
                            "--path", path, "--inject", fault, "-J", folder.path("r.json")}));
      EXPECT_EQ(run.exit_code, 3) << path << fault << run.out << run.err;
      EXPECT_NE(run.out.find("WRONG"), std::string::npos) << path << fault << run.out;
      const auto report = read_report(folder.path("r.json"));
      ASSERT_EQ(report["records"].size(), 2U);
      EXPECT_TRUE(report["complete"]);
      for (const auto& record : report["records"]) {
        EXPECT_EQ(record["status"], "wrong") << path << fault << record;
        EXPECT_GT(record["verify"]["wrong"], 0) << path << fault << record;
        const std::string check = record["verify"]["check"];
        EXPECT_NE(std::find(checks.begin(), checks.end(), check), checks.end())
            << path << fault << check;
      }
    }
  }
}

}  // namespace
}  // namespace arb
