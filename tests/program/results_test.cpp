// What a run writes, read back.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/program/process.hpp"

namespace arb {
namespace {

nlohmann::json report_of(const std::vector<std::string>& arguments,
                         const std::map<std::string, std::string>& environment = {}) {
  const Folder folder;
  std::vector<std::string> all = arguments;
  all.insert(all.end(), {"-J", folder.path("r.json")});
  const Finished run = run_program(all, environment);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return read_report(folder.path("r.json"));
}

TEST(Results, EveryAlgorithmOfEveryCollectiveIsMeasuredAndRight) {
  for (const std::string collective :
       {"all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce"}) {
    for (const std::string place : {"--in-place", "--out-of-place"}) {
      const auto report = report_of({"--collective", collective, "--sizes", "4K,100K", "--ranks",
                                     "2,3", "-n", "8", "-w", "1", "--no-progress", place});
      EXPECT_TRUE(report["complete"]);
      std::set<std::string> algorithms;
      for (const auto& record : report["records"]) {
        EXPECT_EQ(record["status"], "ok") << record;
        EXPECT_EQ(record["verify"]["verdict"], "ok");
        EXPECT_GE(record["verify"]["timed_checks"], 1);
        EXPECT_EQ(record["time_s"]["n"], 8);
        EXPECT_GT(record["time_s"]["median"], 0);
        algorithms.insert(record["algorithm"]);
      }
      EXPECT_EQ(report["records"].size(), algorithms.size() * 4);
    }
  }
}

TEST(Results, BandwidthsFollowFromTheMedian) {
  for (const int ranks : {2, 4, 8}) {
    const auto report =
        report_of({"--sizes", "64K", "--ranks", std::to_string(ranks), "-n", "8", "--slot-bytes",
                   "64K", "--algorithms", "ring,naive-root", "--no-progress"});
    for (const auto& record : report["records"]) {
      const double algbw = 65536 / record["time_s"]["median"].get<double>() / 1e9;
      EXPECT_NEAR(record["algbw_gbps"].get<double>() / algbw, 1, 1e-9);
      EXPECT_NEAR(record["busbw_gbps"].get<double>() / (algbw * 2 * (ranks - 1) / ranks), 1, 1e-9);
      const auto& traffic = record["traffic"];
      if (record["algorithm"] == "ring") {
        EXPECT_EQ(traffic["max_sent_bytes"], 2 * (ranks - 1) * 65536 / ranks);
        EXPECT_EQ(traffic["steps"], 2 * (ranks - 1));
        EXPECT_EQ(traffic["path_bytes"], 2 * (ranks - 1) * 65536 / ranks);
      } else {
        EXPECT_EQ(traffic["max_sent_bytes"], (ranks - 1) * 65536);
        EXPECT_EQ(traffic["max_received_bytes"], (ranks - 1) * 65536);
        EXPECT_EQ(traffic["path_bytes"], 2 * (ranks - 1) * 65536);
      }
    }
  }
}

TEST(Results, LimitsOfTheMemoryAreMeasuredUnlessAStartOfAGateDoesWithout) {
  const Folder folder;
  const std::string path = folder.path("r.json");
  EXPECT_EQ(run_program(quick({"-J", path})).exit_code, 0);
  EXPECT_GT(read_report(path)["environment"]["copy_limit_gbps"].get<double>(), 0);
  EXPECT_EQ(run_program(quick({"-J", path, "--no-limits"})).exit_code, 0);
  EXPECT_TRUE(read_report(path)["environment"]["copy_limit_gbps"].is_null());
}

TEST(Results, OneRankHasNoBus) {
  const auto report = report_of({"--sizes", "1K", "--ranks", "1", "-n", "10", "--no-progress"});
  for (const auto& record : report["records"]) {
    EXPECT_TRUE(record["busbw_gbps"].is_null());
    EXPECT_EQ(record["verify"]["verdict"], "ok");
  }
}

TEST(Results, NothingToSendSucceedsAndIsInNoFit) {
  const auto report =
      report_of({"--sizes", "0,4,64,4K,64K", "--ranks", "2", "-n", "10", "--no-progress"});
  int empty = 0;
  for (const auto& record : report["records"]) {
    EXPECT_EQ(record["status"], "ok") << record;
    if (record["bytes"] == 0) ++empty;
  }
  EXPECT_GT(empty, 0);
  for (const auto& fit : report["fits"]) {
    for (const auto& segment : fit["segments"]) EXPECT_GE(segment["min_bytes"], 4);
  }
  EXPECT_FALSE(report["fits"].empty());
}

TEST(Results, SizesAreRoundedToElementsAndTheRequestIsKept) {
  const auto report = report_of(
      {"-b", "10", "-e", "10", "-d", "float", "--ranks", "2", "-n", "10", "--no-progress"});
  for (const auto& record : report["records"]) {
    EXPECT_EQ(record["bytes"], 8);
    EXPECT_EQ(record["requested_bytes"], 10);
    EXPECT_EQ(record["count"], 2);
  }
}

TEST(Results, MoreRanksThanCoresAreFlagged) {
  const auto report = report_of({"--sizes", "1K", "--ranks", "64", "-n", "10", "--no-progress"});
  for (const auto& record : report["records"]) {
    EXPECT_EQ(record["verify"]["verdict"], "ok");
    const auto& flags = record["flags"];
    if (report["environment"]["cores_usable"] < 64) {
      EXPECT_NE(std::find(flags.begin(), flags.end(), "oversubscribed"), flags.end());
    }
  }
}

TEST(Results, NoSecretOfTheEnvironmentIsInAnyOutput) {
  const Folder folder;
  const std::string secret = "hunter2-do-not-print";
  const std::map<std::string, std::string> environment{{"AWS_SECRET_ACCESS_KEY", secret},
                                                       {"MY_TOKEN", secret}};
  for (const std::string format : {"table", "csv", "json", "nccl-tests"}) {
    const Finished run = run_program(
        quick({"--format", format, "-J", folder.path("r.json"), "--output", folder.path("r.csv")}),
        environment);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    for (const std::string& text :
         {run.out, run.err, read_text(folder.path("r.json")), read_text(folder.path("r.csv"))}) {
      EXPECT_EQ(text.find(secret), std::string::npos);
      EXPECT_EQ(text.find("AWS_SECRET_ACCESS_KEY"), std::string::npos);
    }
  }
}

TEST(Results, StdoutHoldsTheChosenFormatAndNothingElse) {
  const Finished json = run_program(quick({"--format", "json"}));
  EXPECT_EQ(nlohmann::json::parse(json.out)["records"].size(), 7u);
  const Finished csv = run_program(quick({"--format", "csv"}));
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 8);
  const Finished nccl = run_program(quick({"--format", "nccl-tests"}));
  EXPECT_NE(nccl.out.find("# Out of bounds values : 0 OK"), std::string::npos) << nccl.out;
}

TEST(Results, TheSameSeedGivesTheSameVerdictsForEveryDtypeAndOp) {
  for (const char* dtype : {"int8", "uint8", "int32", "uint32", "int64", "uint64", "half",
                            "bfloat16", "float", "double"}) {
    for (const char* op : {"sum", "prod", "min", "max", "avg"}) {
      const Finished run = run_program(quick({"-d", dtype, "-o", op}));
      const bool refused =
          std::string(op) == "avg" && std::string(dtype).find("int") != std::string::npos;
      if (refused) {
        EXPECT_NE(run.out.find("skipped") + run.err.find("avg"), 2 * std::string::npos)
            << run.out << run.err;
      } else {
        EXPECT_EQ(run.exit_code, 0) << dtype << " " << op << run.out;
      }
    }
  }
}

TEST(Results, ProveListAndDoctor) {
  const Finished prove = run_program({"prove", "--ranks", "1,2,3,8"});
  EXPECT_EQ(prove.exit_code, 0) << prove.out << prove.err;
  EXPECT_NE(prove.out.find("all-reduce ring: proved"), std::string::npos) << prove.out;
  const Finished refuted =
      run_program({"prove", "--algorithms", "ring", "--ranks", "4", "--slots", "1"});
  EXPECT_EQ(refuted.exit_code, 3) << refuted.out;
  EXPECT_NE(refuted.out.find("deadlock"), std::string::npos) << refuted.out;
  const Finished list = run_program({"list"});
  EXPECT_EQ(list.exit_code, 0);
  for (const char* word : {"ring", "two-shot", "rabenseifner", "bfloat16"}) {
    EXPECT_NE(list.out.find(word), std::string::npos) << word;
  }
  const Finished doctor = run_program({"doctor"});
  EXPECT_EQ(doctor.exit_code, 0) << doctor.err;
  EXPECT_NE(doctor.out.find("GB/s"), std::string::npos) << doctor.out;
}

}  // namespace
}  // namespace arb
