#include "collectives/runners/mpi/clock_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "collectives/error.hpp"

namespace arb {
namespace {

/// A clock that is `offset` ahead at local time 0 and gains `drift`, behind a link of 5 us each way
/// plus exponential jitter, and now and then a message that takes much longer.
struct Link {
  double offset = 0;
  double drift = 0;
  double there_jitter = 1e-6;
  double back_jitter = 1e-6;
  double outliers = 0.05;
  double extra_there = 0;
  std::mt19937_64 bits{1};

  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double exponential(double mean) { return -mean * std::log1p(-uniform()); }
  double travel(double jitter) {
    const double late = uniform() < outliers ? exponential(200e-6) : 0;
    return 5e-6 + exponential(jitter) + late;
  }
  double ahead(double local) const { return offset + drift * local; }
  Probe probe(double start) {
    const double there = start + travel(there_jitter) + extra_there;
    return {start, there + ahead(there), there + travel(back_jitter)};
  }
  ClockEstimate estimate(double start, int probes) {
    std::vector<Probe> all;
    for (int k = 0; k < probes; ++k) all.push_back(probe(start + k * 1e-3));
    return estimate_offset(all);
  }
};

TEST(EstimateOffset, ShortestRoundTripDecides) {
  const ClockEstimate estimate = estimate_offset({{10, 117, 20}, {30, 132, 34}, {40, 150, 50}});
  EXPECT_EQ(estimate.local_time, 32);
  EXPECT_EQ(estimate.offset, 100);
  EXPECT_EQ(estimate.bound, 2);
  EXPECT_EQ(estimate.error, 2) << "of fewer than five the bound";
}

TEST(EstimateOffset, ErrorIsTheSpreadOfTheFiveShortest) {
  // Round trips 10, 11, 12, 13, 14 and 90; offsets 0, +1, -1, 0, +2 and 30.
  const ClockEstimate estimate = estimate_offset(
      {{0, 75, 90}, {0, 5, 10}, {0, 6.5, 11}, {0, 5, 12}, {0, 6.5, 13}, {0, 9, 14}});
  EXPECT_EQ(estimate.offset, 0);
  EXPECT_EQ(estimate.bound, 5);
  EXPECT_EQ(estimate.error, 3);
}

TEST(EstimateOffset, NoErrorBelowATwentiethOfTheBound) {
  const ClockEstimate estimate = estimate_offset(std::vector<Probe>(9, {10, 115, 20}));
  EXPECT_EQ(estimate.offset, 100);
  EXPECT_EQ(estimate.error, 0.25);
}

TEST(EstimateOffset, NothingToEstimateFromIsAnError) { EXPECT_THROW(estimate_offset({}), Error); }

TEST(EstimateOffset, JitterIsCoveredByTheErrorAndAlwaysByTheBound) {
  for (int probes : {8, 20, 200}) {
    for (double back : {1e-6, 4e-6}) {
      Link link{.offset = 1234.5, .back_jitter = back};
      int covered = 0, covered_twice = 0;
      for (int k = 0; k < 400; ++k) {
        const ClockEstimate estimate = link.estimate(1000 + k, probes);
        const double wrong = std::abs(estimate.offset - link.offset);
        EXPECT_LE(wrong, estimate.bound + 1e-12);
        covered += static_cast<int>(wrong <= estimate.error);
        covered_twice += static_cast<int>(wrong <= 2 * estimate.error);
      }
      EXPECT_GE(covered, 380) << probes << " probes, jitter back " << back;
      EXPECT_GE(covered_twice, 395) << probes << " probes, jitter back " << back;
    }
  }
}

TEST(EstimateOffset, PathThatIsLongerOneWayIsWithinTheBoundOnly) {
  Link link{.offset = 10, .there_jitter = 1e-9, .back_jitter = 1e-9, .extra_there = 20e-6};
  const ClockEstimate estimate = link.estimate(0, 100);
  EXPECT_NEAR(estimate.offset, link.offset + 10e-6, 0.1e-6);
  EXPECT_LT(estimate.error, 1e-6);
  EXPECT_GT(estimate.bound, 10e-6);
}

TEST(FitClock, OneEstimateIsTakenAsItIs) {
  const ClockLine line = fit_clock(std::vector<ClockEstimate>{{7, 100, 3, 0.5}});
  EXPECT_EQ(line.to_remote(9), 109);
  EXPECT_EQ(line.drift, 0);
  EXPECT_EQ(line.error, 0.5);
  EXPECT_EQ(line.bound, 3);
  EXPECT_EQ(line.largest, 0);
  EXPECT_THROW(fit_clock({}), Error);
}

TEST(FitClock, ExactLineIsFound) {
  std::vector<ClockEstimate> estimates;
  for (double t : {1000.0, 1001.0, 1003.0, 1007.0}) {
    estimates.push_back({t, 50 + 0.25 * (t - 1000), 1e-3, 1e-3});
  }
  const ClockLine line = fit_clock(estimates);
  EXPECT_NEAR(line.drift, 0.25, 1e-12);
  EXPECT_NEAR(line.to_remote(1002), 1002 + 50.5, 1e-12);
  EXPECT_NEAR(line.rms, 0, 1e-12);
}

TEST(FitClock, NoDriftFromTwoFromAShortSpanOrFromNoise) {
  const ClockEstimate a{0, 1, 1e-5, 1e-6}, b{1, 1.0001, 1e-5, 1e-6}, c{2, 1.0002, 1e-5, 1e-6};
  EXPECT_NEAR(fit_clock(std::vector{a, b, c}).drift, 1e-4, 1e-12);
  const ClockLine two = fit_clock(std::vector{a, b});
  EXPECT_EQ(two.drift, 0);
  EXPECT_NEAR(two.offset, 1.00005, 1e-12);
  EXPECT_NEAR(two.error, 50e-6, 1e-9) << "what the missing drift costs is stated";

  const auto soon = [](ClockEstimate estimate) {
    estimate.local_time *= 0.04;
    return estimate;
  };
  EXPECT_EQ(fit_clock(std::vector{soon(a), soon(b), soon(c)}).drift, 0);

  const auto vague = [](ClockEstimate estimate) {
    estimate.error = 1e-3;
    return estimate;
  };
  EXPECT_EQ(fit_clock(std::vector{vague(a), vague(b), vague(c)}).drift, 0);
  // Errors stated too small do not make a drift of scatter.
  EXPECT_EQ(
      fit_clock(std::vector<ClockEstimate>{
                    {0, 0, 1, 1e-9}, {1, 1e-5, 1, 1e-9}, {2, -1e-5, 1, 1e-9}, {3, 1e-5, 1, 1e-9}})
          .drift,
      0);
}

TEST(FitClock, PoorEstimateWeighsLittleAndExplainsItself) {
  std::vector<ClockEstimate> estimates;
  for (int k = 0; k < 6; ++k) {
    estimates.push_back({k * 1.0, 2 + 1e-5 * k, 1e-5, 1e-6});
  }
  estimates[2].offset += 1e-3;
  estimates[2].error = 2e-3;
  const ClockLine line = fit_clock(estimates);
  EXPECT_NEAR(line.drift, 1e-5, 1e-7);
  EXPECT_NEAR(line.to_remote(4) - 4, 2 + 4e-5, 1e-6);
  EXPECT_NEAR(line.largest, 1e-3, 1e-6);
  EXPECT_NEAR(line.rms, 1e-3 / std::sqrt(6), 1e-6);
  EXPECT_NEAR(line.error, 1e-6, 1e-9);
  estimates[2].error = 1e-4;  // now it contradicts the others
  EXPECT_GT(fit_clock(estimates).error, 0.8e-3);
}

TEST(FitClock, ResidualCoversTheTrueErrorOfADriftingClock) {
  int covered = 0, runs = 0;
  double worst_drift = 0;
  for (double drift : {0.0, 1e-6, 1e-4, -1e-4}) {
    Link link{.offset = -86400, .drift = drift, .back_jitter = 3e-6};
    for (int run = 0; run < 100; ++run, ++runs) {
      std::vector<ClockEstimate> estimates;
      for (int k = 0; k < 8; ++k) estimates.push_back(link.estimate(k * 0.25, 30));
      const ClockLine line = fit_clock(estimates);
      double worst = 0;
      for (double t = 0; t <= 1.75; t += 0.125) {
        worst = std::max(worst, std::abs(line.to_remote(t) - t - link.ahead(t)));
      }
      covered += static_cast<int>(worst <= line.error);
      EXPECT_LE(worst, 3 * line.error);
      EXPECT_LT(line.error, 10e-6);
      worst_drift = std::max(worst_drift, std::abs(line.drift - drift));
    }
  }
  EXPECT_GE(covered, runs * 95 / 100);
  EXPECT_LT(worst_drift, 2e-6);
}

TEST(SmallAgainst, UpToFivePerCent) {
  EXPECT_TRUE(small_against(0, 1e-9));
  EXPECT_TRUE(small_against(4.9e-6, 1e-4));
  EXPECT_FALSE(small_against(5.1e-6, 1e-4));
  EXPECT_FALSE(small_against(INFINITY, 1));
}

}  // namespace
}  // namespace arb
