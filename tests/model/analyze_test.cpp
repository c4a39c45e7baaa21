#include "reports/model/analyze.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "series.hpp"

namespace arb {
namespace {

struct Algorithm {
  std::string name;
  int64_t steps;
  double factor;  // bytes on the critical path per byte of message
  Truth truth;
};

Record record(const Algorithm& algorithm, int64_t ranks, int64_t bytes) {
  Record one;
  one.backend = "host";
  one.collective = "all-reduce";
  one.algorithm = algorithm.name;
  one.ranks = ranks;
  one.bytes = one.requested_bytes = bytes;
  one.count = bytes / 4;
  one.dtype = "f32";
  one.op = "sum";
  TimeStats time;
  time.n = 50;
  time.min = time.max = time.mean = time.median = algorithm.truth(static_cast<double>(bytes));
  time.ci95 = {time.median * 0.99, time.median * 1.01};
  one.time = time;
  const auto path = static_cast<int64_t>(algorithm.factor * static_cast<double>(bytes));
  one.traffic = Traffic{path / 2, path / 2, algorithm.steps, path};
  return one;
}

Report measured(const std::vector<Algorithm>& algorithms, int64_t ranks, int sizes) {
  Report report;
  for (int i = 0; i < sizes; ++i) {
    for (const Algorithm& one : algorithms)
      report.records.push_back(record(one, ranks, int64_t{8} << i));
  }
  return report;
}

const Algorithm kNaive{"naive-root", 2, 6, straight(5e-6, 1.5e-9)};
const Algorithm kRing{"ring", 6, 1.5, straight(20e-6, 0.5e-9)};

TEST(Analyze, FitsCrossoversAndBest) {
  Report report = measured({kNaive, kRing}, 4, 15);
  analyze(report);
  ASSERT_EQ(report.fits.size(), 2U);
  const Fit& ring = report.fits[1];
  EXPECT_EQ(ring.algorithm, "ring");
  EXPECT_EQ(ring.backend, "host");
  EXPECT_EQ(ring.ranks, 4);
  EXPECT_EQ(ring.latency_steps, 6);
  EXPECT_DOUBLE_EQ(*ring.traffic_factor, 1.5);
  ASSERT_EQ(ring.segments.size(), 1U);
  EXPECT_NEAR(*ring.segments[0].alpha_s, 20e-6 / 6, 1e-12);
  EXPECT_NEAR(*ring.segments[0].beta_bytes_per_second, 3e9, 1);
  const Fit& naive = report.fits[0];
  EXPECT_DOUBLE_EQ(*naive.traffic_factor, 6);
  EXPECT_NEAR(*naive.segments.at(0).alpha_s, 2.5e-6, 1e-12);
  EXPECT_NEAR(*naive.segments[0].beta_bytes_per_second, 4e9, 1);

  ASSERT_EQ(report.crossovers.size(), 2U);
  EXPECT_EQ(report.crossovers[0].method, "measured");
  EXPECT_EQ(report.crossovers[1].method, "fitted");
  for (const Crossover& one : report.crossovers) {
    EXPECT_EQ(one.collective, "all-reduce");
    EXPECT_EQ(one.from, "naive-root");
    EXPECT_NEAR(*one.bytes, 15000, 1e-3);
  }

  ASSERT_EQ(report.best.size(), 2U);
  EXPECT_EQ(report.best[0].algorithm, "naive-root");
  EXPECT_EQ(report.best[0].max_bytes, 8192);
  EXPECT_EQ(report.best[1].algorithm, "ring");
  EXPECT_EQ(report.best[1].min_bytes, 16384);
}

TEST(Analyze, TwiceIsTheSameAsOnce) {
  Report report = measured({kNaive, kRing}, 4, 15);
  analyze(report);
  analyze(report);
  EXPECT_EQ(report.fits.size(), 2U);
  EXPECT_EQ(report.crossovers.size(), 2U);
  EXPECT_EQ(report.best.size(), 2U);
}

TEST(Analyze, GroupsAreNotMixed) {
  Report report = measured({kNaive, kRing}, 4, 15);
  const Report two = measured({kNaive, kRing}, 2, 15);
  report.records.insert(report.records.end(), two.records.begin(), two.records.end());
  Report in_place = measured({kRing}, 4, 15);
  for (Record& one : in_place.records) one.in_place = true;
  report.records.insert(report.records.end(), in_place.records.begin(), in_place.records.end());
  analyze(report);
  ASSERT_EQ(report.fits.size(), 5U);
  EXPECT_EQ(report.fits[2].ranks, 2);
  EXPECT_TRUE(report.fits[4].in_place);
  EXPECT_EQ(report.crossovers.size(), 4U);
}

TEST(Analyze, UnusableRecordsAreSkipped) {
  Report report = measured({kRing}, 4, 15);
  report.records[0].status = Status::kWrong;
  report.records[1].status = Status::kSkipped;
  report.records[1].time.reset();
  report.records[2].time.reset();
  report.records[3].count = 0;
  report.records[4].time->n = 0;
  for (size_t i : {0U, 3U, 4U}) report.records[i].time->median = 1;
  analyze(report);
  ASSERT_EQ(report.fits.size(), 1U);
  ASSERT_EQ(report.fits[0].segments.size(), 1U);
  EXPECT_EQ(report.fits[0].segments[0].min_bytes, 8 << 5);
  EXPECT_NEAR(report.fits[0].segments[0].intercept_s, 20e-6, 1e-12);
}

TEST(Analyze, ARefusalIsReportedAsAFit) {
  Report report = measured({kRing}, 1, 15);
  analyze(report);
  ASSERT_EQ(report.fits.size(), 1U);
  EXPECT_FALSE(report.fits[0].refused.empty());
  report = measured({kRing}, 4, 2);
  analyze(report);
  ASSERT_EQ(report.fits.size(), 1U);
  EXPECT_FALSE(report.fits[0].refused.empty());
  EXPECT_EQ(report.best.size(), 1U);
}

TEST(Analyze, NativeAlgorithmsHaveNoAlphaAndBeta) {
  Report report = measured({kRing}, 4, 15);
  for (Record& one : report.records) one.traffic.reset();
  analyze(report);
  ASSERT_EQ(report.fits.at(0).segments.size(), 1U);
  EXPECT_FALSE(report.fits[0].latency_steps);
  EXPECT_FALSE(report.fits[0].segments[0].alpha_s);
}

TEST(Analyze, OldReportsAreFittedByTheirBusiestPort) {
  Report report = measured({kNaive}, 4, 15);
  for (Record& one : report.records) {
    one.traffic->path_bytes.reset();
    one.traffic->max_sent_bytes = one.bytes;  // the larger of the two counts
  }
  analyze(report);
  const Fit& fit = report.fits.at(0);
  EXPECT_DOUBLE_EQ(*fit.traffic_factor, 3);
  EXPECT_NEAR(*fit.segments.at(0).alpha_s, 2.5e-6, 1e-12);
  EXPECT_NEAR(*fit.segments[0].beta_bytes_per_second, 2e9, 1);
}

TEST(Analyze, TeachingPairsAreComparedEvenIfAnotherIsBest) {
  const Algorithm fastest{"one-shot", 1, 1, straight(1e-6, 0.1e-9)};
  Report report = measured({kNaive, kRing, fastest}, 4, 15);
  analyze(report);
  EXPECT_EQ(report.best.size(), 1U);
  ASSERT_EQ(report.crossovers.size(), 2U);
  EXPECT_EQ(report.crossovers[0].to, "ring");
}

TEST(Analyze, OfNeighboursOnlyTheOvertakingIsReported) {
  // "wave" is behind again at the largest sizes of a third algorithm's range, which nobody needs to
  // know.
  const Algorithm flat{"flat", 2, 1, straight(10e-6, 1e-9)};
  const Algorithm wave{"wave", 2, 1, [](double bytes) {
                         return (10e-6 + bytes * 1e-9) * (bytes < 512 || bytes > 32768 ? 1.5 : 0.5);
                       }};
  const Algorithm late{"late", 2, 1, [](double bytes) { return bytes > 16384 ? 5e-6 : 90e-6; }};
  Report report = measured({flat, wave, late}, 4, 15);
  analyze(report);
  ASSERT_EQ(report.best.size(), 3U);
  std::vector<std::pair<std::string, std::string>> measured_pairs;
  for (const Crossover& one : report.crossovers) {
    if (one.method == "measured") measured_pairs.emplace_back(one.from, one.to);
  }
  EXPECT_EQ(measured_pairs,
            (std::vector<std::pair<std::string, std::string>>{{"flat", "wave"}, {"wave", "late"}}));
}

TEST(Analyze, NothingFromNothing) {
  Report report;
  report.best.emplace_back();
  analyze(report);
  EXPECT_TRUE(report.fits.empty() && report.crossovers.empty() && report.best.empty());
}

}  // namespace
}  // namespace arb
