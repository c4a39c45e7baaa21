// The rules file, read back as coll/tuned reads it (tests/mpi/rules_test.cpp asks Open MPI itself).
#include <gtest/gtest.h>

#include <sstream>

#include "reports/tune/openmpi.hpp"
#include "tests/reports/golden.hpp"
#include "tests/reports/tune_report.hpp"

namespace arb {
namespace {

struct Rule {
  long bytes, algorithm, fan, segment;
};
struct Block {
  long ranks;
  std::vector<Rule> rules;
};

/// Whole numbers; a comment goes from # to the end of its line.
std::vector<long> numbers_of(const std::string& text) {
  std::vector<long> numbers;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    for (long number = 0; words >> number;) numbers.push_back(number);
    EXPECT_TRUE(words.eof()) << "not a number: " << line;
  }
  return numbers;
}

std::vector<Block> read_rules(const std::string& text) {
  const std::vector<long> numbers = numbers_of(text);
  size_t at = 0;
  const auto next = [&] { return numbers.at(at++); };
  EXPECT_EQ(next(), 1) << "collectives";
  EXPECT_EQ(next(), 2) << "all-reduce";
  std::vector<Block> blocks(static_cast<size_t>(next()));
  for (Block& block : blocks) {
    block.ranks = next();
    block.rules.resize(static_cast<size_t>(next()));
    for (Rule& rule : block.rules) rule = {next(), next(), next(), next()};
  }
  EXPECT_EQ(at, numbers.size()) << "numbers left over";
  return blocks;
}

long algorithm_at(const std::vector<Block>& blocks, long ranks, long bytes) {
  const Block* block = &blocks.front();  // serves smaller communicators too
  for (const Block& each : blocks) {
    if (each.ranks <= ranks) block = &each;
  }
  long algorithm = 0;
  for (const Rule& rule : block->rules) {
    if (rule.bytes <= bytes) algorithm = rule.algorithm;
  }
  return algorithm;
}

void expect_well_formed(const std::vector<Block>& blocks) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (i > 0) {
      EXPECT_GT(blocks[i].ranks, blocks[i - 1].ranks);
    }
    ASSERT_FALSE(blocks[i].rules.empty());
    EXPECT_EQ(blocks[i].rules[0].bytes, 0) << "a block without a rule for 0 is ignored";
    for (size_t k = 1; k < blocks[i].rules.size(); ++k) {
      EXPECT_GT(blocks[i].rules[k].bytes, blocks[i].rules[k - 1].bytes);
    }
  }
}

std::string rules_of(const Report& report, const OpenMpiRules& how = {}) {
  return write_openmpi_rules(choose(report, kOpenMpi), how);
}

TEST(TuneOpenMpi, WritesTheGoldenFile) {
  const OpenMpiRules how{"allreduce-bench 0.1.0, from report.json", false, {}};
  expect_golden("tune.openmpi.rules", rules_of(openmpi_report(), how));
}

TEST(TuneOpenMpi, ChangesOnlyWhatWasMeasured) {
  const auto blocks = read_rules(rules_of(openmpi_report()));
  expect_well_formed(blocks);
  const auto at = [&](long ranks, long bytes) { return algorithm_at(blocks, ranks, bytes); };
  for (const long ranks : {1, 3, 5, 64, 4096}) {
    for (const long bytes : {0, 1024, 4096, 65536, 1048576}) EXPECT_EQ(at(ranks, bytes), 0);
  }
  EXPECT_EQ(at(2, 4095), 0);
  EXPECT_EQ(at(2, 4096), 6);
  EXPECT_EQ(at(2, 65535), 6);
  EXPECT_EQ(at(2, 65536), 0);
  EXPECT_EQ(at(4, 0), 0);
  EXPECT_EQ(at(4, 1024), 0);
  EXPECT_EQ(at(4, 4095), 0);
  EXPECT_EQ(at(4, 4096), 3);
  EXPECT_EQ(at(4, 1048575), 3);
  EXPECT_EQ(at(4, 1048576), 4);
  EXPECT_EQ(at(4, 1048577), 0) << "larger was not measured";
}

TEST(TuneOpenMpi, ExtendedRulesServeLargerOnes) {
  const auto blocks = read_rules(rules_of(openmpi_report(), {"", true, {}}));
  expect_well_formed(blocks);
  EXPECT_EQ(algorithm_at(blocks, 1, 4096), 0);
  EXPECT_EQ(algorithm_at(blocks, 3, 4096), 6);
  EXPECT_EQ(algorithm_at(blocks, 4, 1L << 33), 4);
  EXPECT_EQ(algorithm_at(blocks, 100, 1L << 33), 4);
  EXPECT_EQ(algorithm_at(blocks, 100, 1024), 0);
}

TEST(TuneOpenMpi, NeighbouringRankCountsNeedNoBlockBetween) {
  Report report;
  for (const int64_t ranks : {2, 3}) {
    report.records.push_back(tuned_record("openmpi:default", ranks, 1024, 10e-6));
    report.records.push_back(
        tuned_record(ranks == 2 ? "openmpi:ring" : "openmpi:basic-linear", ranks, 1024, 5e-6));
  }
  const auto blocks = read_rules(rules_of(report));
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_EQ(algorithm_at(blocks, 2, 1024), 4);
  EXPECT_EQ(algorithm_at(blocks, 3, 1024), 1);
  EXPECT_EQ(algorithm_at(blocks, 4, 1024), 0);
}

TEST(TuneOpenMpi, WithoutAWinnerTheFileChangesNothing) {
  Report report;
  report.records = {tuned_record("openmpi:default", 4, 1024, 10e-6),
                    tuned_record("openmpi:ring", 4, 1024, 20e-6)};
  const auto blocks = read_rules(rules_of(report));
  expect_well_formed(blocks);
  EXPECT_EQ(blocks.size(), 1U);
  EXPECT_EQ(algorithm_at(blocks, 4, 1024), 0);
}

TEST(TuneOpenMpi, SegmentsOfTheMeasurementAreKept) {
  Report report;
  report.records = {tuned_record("openmpi:default", 4, 1048576, 10e-3),
                    tuned_record("openmpi:segmented-ring", 4, 1048576, 5e-3)};
  EXPECT_EQ(read_rules(rules_of(report)).at(1).rules.at(1).segment, 65536);
  report.records[1].slot_bytes = 131072;
  const auto blocks = read_rules(rules_of(report));
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[1].rules.at(1).algorithm, 5);
  EXPECT_EQ(blocks[1].rules.at(1).segment, 131072);
}

TEST(TuneOpenMpi, AProbeReplacesOnlyTheAlgorithms) {
  const auto rules = read_rules(rules_of(openmpi_report()));
  const auto probe = read_rules(rules_of(openmpi_report(), {"", false, 99}));
  ASSERT_EQ(rules.size(), probe.size());
  for (size_t i = 0; i < rules.size(); ++i) {
    ASSERT_EQ(rules[i].rules.size(), probe[i].rules.size());
    for (size_t k = 0; k < rules[i].rules.size(); ++k) {
      EXPECT_EQ(probe[i].rules[k].bytes, rules[i].rules[k].bytes);
      EXPECT_EQ(probe[i].rules[k].algorithm, rules[i].rules[k].algorithm == 0 ? 0 : 99);
    }
  }
}

TEST(TuneOpenMpi, WarnsOfAlgorithmsThatNeedCommutativeOperations) {
  const auto with_ring = choose(openmpi_report(), kOpenMpi);
  EXPECT_TRUE(needs_commutative(with_ring.at(0)));
  EXPECT_NE(rules_of(openmpi_report()).find("do not commute"), std::string::npos);
  Report report;
  report.records = {tuned_record("openmpi:default", 4, 1024, 10e-6),
                    tuned_record("openmpi:rabenseifner", 4, 1024, 5e-6)};
  EXPECT_FALSE(needs_commutative(choose(report, kOpenMpi).at(0)));
  EXPECT_EQ(rules_of(report).find("do not commute"), std::string::npos);
}

TEST(TuneOpenMpi, TextFromOutsideStaysInItsComment) {
  const std::string text = rules_of(openmpi_report(), {"a\n7 7 7\r8", false, {}});
  expect_well_formed(read_rules(text));
  EXPECT_EQ(text.find("rule-file-version"), std::string::npos);
}

}  // namespace
}  // namespace arb
