// Cores as the units of an acceptance: groups side by side in threads of this process.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/accept/field.hpp"
#include "collectives/error.hpp"

namespace arb {
namespace {

/// A machine of four cores, wherever they really are.
System four_cores() {
  System system = read_system();
  system.limits = {};
  const std::vector<int> real = system.cpus;
  system.cpus.clear();
  for (size_t i = 0; i < 4; ++i) system.cpus.push_back(real[i % real.size()]);
  return system;
}

GroupTask task_of(const std::string& fault = "") {
  GroupTask task;
  task.backend = "host";
  task.options.algorithms = {"ring"};
  task.options.sizes = {8, 3000};
  task.options.iterations = 6;
  task.options.warmup = 1;
  task.limit_seconds = 120;
  if (!fault.empty()) task.fault = parse_fault(fault);
  return task;
}

const Round kPairs{Stage::kPairs, 2, {{0, 1}, {2, 3}}};

class CoresTest : public testing::Test {
 protected:
  const System system_ = four_cores();
  std::atomic<bool> told_{false};
  const std::unique_ptr<Field> field_ = field_of_cores(system_, told_);
};

TEST_F(CoresTest, UnitsAreTheCores) {
  EXPECT_TRUE(field_->leads());
  EXPECT_EQ(field_->noun(), "core");
  const std::vector<Unit> units = field_->units();
  ASSERT_EQ(units.size(), 4U);
  for (size_t i = 0; i < units.size(); ++i) {
    EXPECT_EQ(units[i].name, "core " + std::to_string(system_.cpus[i]));
    EXPECT_EQ(units[i].ranks, std::vector<int>{static_cast<int>(i)});
  }
}

TEST_F(CoresTest, PairsAreMeasuredSideBySide) {
  const std::vector<GroupResult> results = field_->measure(kPairs, task_of());
  EXPECT_FALSE(field_->interrupted());
  ASSERT_EQ(results.size(), 2U);
  for (size_t g = 0; g < 2; ++g) {
    EXPECT_EQ(results[g].stage, Stage::kPairs);
    EXPECT_EQ(results[g].round, 2);
    EXPECT_EQ(results[g].units, kPairs.groups[g]);
    EXPECT_EQ(results[g].error, "");
    EXPECT_FALSE(results[g].copy_limit_gbps);
    ASSERT_EQ(results[g].records.size(), 2U);
    for (const Record& record : results[g].records) {
      EXPECT_EQ(record.ranks, 2);
      EXPECT_EQ(record.status, Status::kOk) << record.reason;
      EXPECT_EQ(record.time->n, 6);
    }
  }
}

TEST_F(CoresTest, AloneEachShowsItsMemory) {
  GroupTask task = task_of();
  task.wants_copy_limit = true;
  const std::vector<GroupResult> results =
      field_->measure({Stage::kAlone, 0, {{0}, {1}, {2}, {3}}}, task);
  ASSERT_EQ(results.size(), 4U);
  for (const GroupResult& result : results) {
    EXPECT_GT(result.copy_limit_gbps.value_or(0), 0);
    ASSERT_EQ(result.records.size(), 2U);
    EXPECT_EQ(result.records[0].ranks, 1);
  }
}

TEST_F(CoresTest, AFaultIsInTheGroupThatHasTheRank) {
  const std::vector<GroupResult> results = field_->measure(kPairs, task_of("flip-bit:rank=3"));
  for (const Record& record : results[0].records) EXPECT_EQ(record.status, Status::kOk);
  for (const Record& record : results[1].records) {
    EXPECT_EQ(record.status, Status::kWrong);
    EXPECT_EQ(record.verify.rank, 1);
  }
}

TEST_F(CoresTest, AHangNamesItsGroup) {
  GroupTask task = task_of("stall:rank=2,iteration=2");
  task.limit_seconds = 1;
  try {
    field_->measure(kPairs, task);
    FAIL() << "it hangs";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kTimeLimit);
    const std::string text = error.what();
    EXPECT_EQ(text.find("pairs, round 3: core "), 0U) << text;
    EXPECT_NE(text.find("time limit of 1 s"), std::string::npos) << text;
    EXPECT_NE(text.find("takes no part"), std::string::npos) << text;
  }
}

TEST_F(CoresTest, AnInterruptEndsAllGroups) {
  told_ = true;
  const std::vector<GroupResult> results = field_->measure(kPairs, task_of());
  EXPECT_TRUE(field_->interrupted());
  EXPECT_EQ(results.size(), 2U);
}

}  // namespace
}  // namespace arb
