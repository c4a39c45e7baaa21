// Each kind of injected fault is caught, named, and turned into the right exit code.
#include <gtest/gtest.h>

#include "tests/program/process.hpp"

namespace arb {
namespace {

struct Expected {
  std::string fault;
  std::vector<std::string> checks;  // any of these may see it first
};

TEST(Faults, WrongDataIsExitThreeAndNamed) {
  const std::vector<Expected> faults{{"flip-bit", {"exact", "oracle"}},
                                     {"nan", {"exact", "oracle"}},
                                     {"off-by-part", {"exact", "oracle"}},
                                     {"swap-chunks", {"exact", "oracle"}},
                                     {"double-rank", {"exact", "oracle"}},
                                     {"last-unwritten", {"exact", "oracle"}},
                                     {"past-end", {"guard"}},
                                     {"change-input", {"input changed"}},
                                     {"one-rank", {"exact", "oracle", "ranks differ"}},
                                     {"stale", {"exact", "oracle"}}};
  for (const auto& [fault, checks] : faults) {
    const Folder folder;
    const Finished run = run_program(quick({"--inject", fault, "-J", folder.path("r.json")}));
    EXPECT_EQ(run.exit_code, 3) << fault << run.out << run.err;
    EXPECT_NE(run.out.find("WRONG"), std::string::npos) << fault << run.out;
    const auto report = read_report(folder.path("r.json"));
    for (const auto& record : report["records"]) {
      EXPECT_EQ(record["status"], "wrong") << fault;
      EXPECT_EQ(record["verify"]["verdict"], "wrong") << fault;
      EXPECT_GT(record["verify"]["wrong"], 0) << fault;
      EXPECT_NE(std::find(checks.begin(), checks.end(), record["verify"]["check"]), checks.end())
          << fault << record["verify"];
    }
  }
}

TEST(Faults, TheLastElementIsFoundByItsIndex) {
  for (const int count : {7, 1000, 1001}) {
    const Folder folder;
    run_program({"--sizes", std::to_string(count * 4), "--ranks", "2", "-n", "10", "--no-progress",
                 "--inject", "last-unwritten", "-J", folder.path("r.json")});
    const auto report = read_report(folder.path("r.json"));
    for (const auto& record : report["records"]) {
      EXPECT_EQ(record["verify"]["index"], count - 1) << record["verify"];
    }
  }
}

TEST(Faults, TwoChunksSwappedUnderAverage) {
  const Finished run = run_program(quick({"-o", "avg", "-d", "float", "--inject", "swap-chunks"}));
  EXPECT_EQ(run.exit_code, 3);
}

TEST(Faults, ADoubledRankIsSeenForEveryOp) {
  for (const char* op : {"sum", "prod", "min", "max", "avg"}) {
    EXPECT_EQ(run_program(quick({"-o", op, "--inject", "double-rank"})).exit_code, 3) << op;
  }
}

TEST(Faults, ARankThatStopsIsNamedInTime) {
  const Folder folder;
  const Finished run = run_program({"--sizes", "64K", "--ranks", "3", "--algorithms", "ring",
                                    "--timeout", "3s", "--no-progress", "--inject",
                                    "stall:rank=1,iteration=2", "-J", folder.path("r.json")});
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_LT(run.seconds, 15);  // it hung for ever before; slack for sanitizers
  for (const char* words : {"rank 1", "step", "iteration 2", "64KB, ring stopped"}) {
    EXPECT_NE(run.err.find(words), std::string::npos) << words << run.err;
  }
  const auto report = read_report(folder.path("r.json"));
  EXPECT_FALSE(report["complete"]);
  EXPECT_EQ(report["records"][0]["status"], "timeout");
}

TEST(Faults, AFaultThatTheDataCannotHaveEndsTheRun) {
  // Found by one of the workers while the others wait for it.
  const Finished run = run_program(quick({"--inject", "nan", "-d", "int32"}));
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_NE(run.err.find("float"), std::string::npos) << run.err;
}

TEST(Faults, BadFaultsAreRefused) {
  const Finished run = run_program(quick({"--inject", "flip-bits"}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("flip-bit"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace arb
