#include <gtest/gtest.h>

#include <sstream>

#include "reports/model_text.hpp"
#include "reports/table.hpp"

namespace arb {
namespace {

Fit fit_of(std::vector<Segment> segments) {
  Fit fit;
  fit.algorithm = "ring";
  fit.ranks = 4;
  fit.latency_steps = 6;
  fit.traffic_factor = 1.5;
  fit.segments = std::move(segments);
  return fit;
}

const Segment kFlat{8, 32, 6e-7, {5e-7, 7e-7}, 0, {0, 1e-9}, 1e-7, {}, 0.03};
const Segment kSteep{64, 65536, 0, {0, 1e-7}, 1.5e-10, {1.4e-10, 1.6e-10}, {}, 1e10, 0.1};
const Segment kUncertain{64, 65536, 1e-8, {0, 1e-7}, 1.5e-10, {-1e-11, 3e-10}, {}, 1e10, 0.1};

TEST(FitText, AFlatSegmentHasNoBandwidth) {
  const Fit fit = fit_of({kFlat, kSteep});
  EXPECT_EQ(latency_text(fit), "alpha 100 ns [83.3, 117]");
  EXPECT_EQ(bandwidth_text(fit, kFlat), "beta not resolved (flat)");
  EXPECT_EQ(bandwidth_text(fit, kSteep), "beta 10.0 GB/s [9.38, 10.7]");
  EXPECT_EQ(fit_sentence(fit),
            "ring: a step takes 100 ns [83.3, 117] (alpha, up to 32 B); bytes move at 10.0 GB/s "
            "[9.38, 10.7] (beta, from 64 B).");
}

TEST(FitText, UncertainIsNotFlat) {
  EXPECT_EQ(bandwidth_text(fit_of({kUncertain}), kUncertain), "beta 10.0 GB/s [5.00, -]");
}

TEST(FitText, AlphaIsWhatTheFillingLeavesOfTheIntercept) {
  Segment filled = kFlat;
  filled.alpha_s = 5e-8;  // 300 of 600 ns
  EXPECT_EQ(latency_text(fit_of({filled})), "alpha 50.0 ns [33.3, 66.7]");
  filled.alpha_s.reset();
  EXPECT_EQ(latency_text(fit_of({filled})), "alpha not resolved");
}

TEST(FitText, EachSegmentHasItsOwnPath) {
  Segment other = kSteep;
  other.beta_bytes_per_second = 2e10;  // 3 bytes of path per byte; the last segment has 1.5
  EXPECT_EQ(bandwidth_text(fit_of({other, kSteep}), other), "beta 20.0 GB/s [18.8, 21.4]");
}

TEST(FitText, ALatencyOfZeroIsNotResolved) {
  EXPECT_EQ(latency_text(fit_of({kSteep})), "alpha not resolved");
  Fit native = fit_of({kSteep});
  native.latency_steps.reset();
  EXPECT_EQ(latency_text(native), "intercept not resolved");
}

Crossover crossing(std::string from, std::string to, std::string method, double bytes,
                   bool resolved) {
  return {"host",  "all-reduce", 2, false, from, to, method, bytes, {{bytes * 0.9, bytes * 1.1}},
          resolved};
}

std::string last_line(const std::string& text) {
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

TEST(CrossoversText, OneEntryForAPair) {
  std::vector<Crossover> all = {crossing("naive-root", "ring", "measured", 300, true),
                                crossing("ring", "naive-root", "measured", 500, true),
                                crossing("naive-root", "ring", "fitted", 400, false)};
  EXPECT_EQ(
      last_line(crossovers_text(all)),
      "    naive-root | ring  ring from 300 B [270, 330], naive-root from 500 B [450, 550]\n");
  all = {all[0], crossing("naive-root", "ring", "fitted", 400, true)};
  EXPECT_EQ(last_line(crossovers_text(all)),
            "    naive-root | ring  ring from 300 B [270, 330]; fitted: 400 B [360, 440]\n");
  all[0].resolved = all[1].resolved = false;
  EXPECT_EQ(last_line(crossovers_text(all)),
            "    naive-root | ring  not resolved, somewhere near 300 B [270, 330]\n");
}

TEST(CrossoversText, IsBrokenBetweenCrossings) {
  std::vector<Crossover> all;
  for (int i = 0; i < 8; ++i) {
    const bool even = i % 2 == 0;
    all.push_back(crossing(even ? "ring" : "tree", even ? "tree" : "ring", "measured",
                           100.0 * (1 << i), true));
  }
  std::istringstream lines(crossovers_text(all));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(line.size(), 120U) << line;
    if (count < 3) continue;  // blank, heading, title
    EXPECT_TRUE(line.ends_with("],") || line.ends_with("]")) << line;
  }
  EXPECT_GT(count, 4);
}

}  // namespace
}  // namespace arb
