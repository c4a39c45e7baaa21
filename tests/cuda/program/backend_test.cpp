// What a user asks of GPUs and finds in the report, on emulated ones.
#include <gtest/gtest.h>

#include "tests/program/process.hpp"

namespace arb {
namespace {

using Environment = std::map<std::string, std::string>;

Environment gpus(int count) {
  return {{"ARB_EMULATED_DEVICES", std::to_string(count)}, {"ARB_NCCL_LIBRARY", ARB_FAKE_NCCL}};
}

std::vector<std::string> short_run(std::vector<std::string> more) {
  for (const char* word : {"--sizes", "64B", "-n", "2", "-w", "0", "--no-progress"}) {
    more.emplace_back(word);
  }
  return more;
}

nlohmann::json records_of(const std::vector<std::string>& options, int gpu_count) {
  const Folder folder;
  const std::string path = folder.path("report.json");
  std::vector<std::string> arguments = short_run(options);
  arguments.insert(arguments.end(), {"-J", path});
  const Finished run = run_program(arguments, gpus(gpu_count));
  EXPECT_EQ(run.exit_code, 0) << run.err << run.out;
  return read_report(path).at("records");
}

TEST(CudaBackend, RecordsSayHowTheyCameAbout) {
  const auto records = records_of(
      {"--gpus", "2", "--protocol", "ll", "--launch", "graph", "--algorithms", "ring"}, 3);
  ASSERT_EQ(records.size(), 1U);
  const auto& record = records[0];
  EXPECT_EQ(record.at("backend"), "cuda");
  EXPECT_EQ(record.at("ranks"), 2);
  EXPECT_EQ(record.at("gpus"), 2);
  EXPECT_EQ(record.at("protocol"), "ll");
  EXPECT_EQ(record.at("launch"), "graph");
  EXPECT_EQ(record.at("transport"), "direct");
  EXPECT_GE(record.at("channels").get<int>(), 1);
  EXPECT_EQ(record.at("verify").at("verdict"), "ok");
  for (const auto& flag : record.at("flags")) EXPECT_NE(flag, "longest rank");
}

TEST(CudaBackend, SeveralRanksShareOneGpuIfToldTo) {
  const auto records = records_of({"--ranks-per-gpu", "4", "--algorithms", "ring,nccl:default"}, 1);
  ASSERT_EQ(records.size(), 4U);  // 2 and 4 ranks
  for (const auto& record : records) {
    EXPECT_EQ(record.at("gpus").is_null(), record.at("status") == "skipped") << record;
    EXPECT_TRUE(record.at("transport").is_null());
    if (record.at("algorithm") == "ring") {
      EXPECT_EQ(record.at("verify").at("verdict"), "ok");
    } else {
      EXPECT_NE(record.at("reason").get<std::string>().find("one rank per GPU"), std::string::npos);
    }
  }
  const Finished refused = run_program(short_run({"--backend", "cuda"}), gpus(1));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--ranks-per-gpu 8"), std::string::npos) << refused.err;
}

TEST(CudaBackend, NcclRunsBesideTheOthers) {
  const auto records = records_of({"--gpus", "2", "--algorithms", "nccl:default,nccl:ring"}, 2);
  ASSERT_EQ(records.size(), 2U);
  for (const auto& record : records) {
    EXPECT_EQ(record.at("kind"), "native");
    EXPECT_EQ(record.at("status"), "ok") << record;
    EXPECT_TRUE(record.at("protocol").is_null()) << "NCCL does not tell";
  }
}

TEST(CudaBackend, GpusThatAreNotThereAreCounted) {
  const Finished few = run_program(short_run({"--backend", "cuda", "--gpus", "4"}), gpus(2));
  EXPECT_EQ(few.exit_code, 5);
  EXPECT_NE(few.err.find("asked for 4 GPUs, found 2: "), std::string::npos) << few.err;
  const Finished none = run_program(short_run({"--backend", "cuda", "--gpus", "4"}), gpus(0));
  EXPECT_EQ(none.exit_code, 5);
  EXPECT_NE(none.err.find("asked for 4 GPUs, found none: no GPU is visible"), std::string::npos)
      << none.err;
}

TEST(CudaBackend, IsChosenWhereThereAreSeveralGpus) {
  const Finished run = run_program(short_run({"--algorithms", "two-shot"}), gpus(2));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.err.find("2 GPUs found"), std::string::npos) << run.err;
  EXPECT_NE(run.out.find("cuda all-reduce, 2 ranks on 2 GPUs"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace arb
