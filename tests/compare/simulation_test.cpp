// How often two starts of the same build are told apart, and how often a slower build is: on
// made-up times that differ from start to start as those of two busy cores do. Deterministic.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/compare/builds.hpp"

namespace arb {
namespace {

constexpr int kComparisons = 2000;
constexpr int kAlgorithms = 7, kSizesOfEach = 5;

/// t with 4 degrees of freedom, of standard deviation 1.
double heavy_tailed(std::mt19937_64& random) {
  std::student_t_distribution<double> student(4);
  return student(random) / std::sqrt(2.0);
}

struct Noise {
  double own = 0.05;    // of each row, from start to start
  double common = 0.0;  // of all rows of a start
};

Report start(std::mt19937_64& random, const Noise& noise, double slow = 1) {
  std::vector<Record> records;
  const double common = noise.common * heavy_tailed(random);
  for (int a = 0; a < kAlgorithms; ++a) {
    for (int s = 0; s < kSizesOfEach; ++s) {
      const double seconds = 1e-6 * (1 + a) * (1 << s);
      const double off = common + noise.own * heavy_tailed(random);
      records.push_back(timed("algorithm-" + std::to_string(a), int64_t{8} << (4 * s),
                              seconds * slow * std::exp(off), 0.015));
    }
  }
  return report_of(std::move(records));
}

std::vector<Report> several(std::mt19937_64& random, const Noise& noise, int n) {
  std::vector<Report> reports;
  for (int i = 0; i < n; ++i) reports.push_back(start(random, noise));
  return reports;
}

/// Comparisons of `base` starts with `fresh` ones in which any row is called slower, of 2,000.
int alarms(int base, int fresh, const Noise& noise) {
  std::mt19937_64 random(1);
  int found = 0;
  for (int i = 0; i < kComparisons; ++i) {
    const std::vector<Report> before = several(random, noise, base);
    const std::vector<Report> after = several(random, noise, fresh);
    if (count(compare(before, after, {}), Change::kSlower) > 0) ++found;
  }
  return found;
}

int found_by_pairs(int comparisons, int n, const Noise& noise, double slow) {
  std::mt19937_64 random(2);
  int found = 0;
  for (int i = 0; i < comparisons; ++i) {
    std::vector<ReportPair> pairs;
    for (int k = 0; k < n; ++k) pairs.push_back({start(random, noise), start(random, noise, slow)});
    if (count(compare_pairs(pairs, {}), Change::kSlower) > 0) ++found;
  }
  return found;
}

constexpr int kMostAlarms = kComparisons * 15 / 1000;

void expect_few(const char* what, int found) {
  testing::Test::RecordProperty(what, found);
  EXPECT_LE(found, kMostAlarms) << what;
}

TEST(Simulation, FalseAlarmsOfOneStartAgainstOne) {
  expect_few("own", alarms(1, 1, {0.05, 0}));
  expect_few("with_common", alarms(1, 1, {0.04, 0.03}));
}

TEST(Simulation, FalseAlarmsOfOneStartAgainstFive) {
  expect_few("own", alarms(5, 1, {0.05, 0}));
  expect_few("with_common", alarms(5, 1, {0.04, 0.03}));
}

TEST(Simulation, FalseAlarmsOfOneStartAgainstTwo) {
  expect_few("own", alarms(2, 1, {0.05, 0}));
  expect_few("with_common", alarms(2, 1, {0.04, 0.03}));
}

TEST(Simulation, FalseAlarmsOfThreeStartsAgainstThree) {
  expect_few("own", alarms(3, 3, {0.05, 0}));
  expect_few("with_common", alarms(3, 3, {0.04, 0.03}));
}

TEST(Simulation, FalseAlarmsOfPairs) {
  expect_few("own", found_by_pairs(kComparisons, 12, {0.05, 0}, 1));
  expect_few("with_common", found_by_pairs(kComparisons, 12, {0.04, 0.03}, 1));
}

TEST(Simulation, PairsFindASlowDownOfAllRows) {
  constexpr int kTries = 200;
  const int found = found_by_pairs(kTries, 12, {0.05, 0}, 1.10);
  RecordProperty("found", found);
  EXPECT_GE(found, kTries * 95 / 100);
}

}  // namespace
}  // namespace arb
