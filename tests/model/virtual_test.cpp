// What the model says of times that its own assumptions made: alpha and beta come back.
#include <gtest/gtest.h>

#include "collectives/algorithms/registry.hpp"
#include "collectives/schedule/virtual_clock.hpp"
#include "reports/model/analyze.hpp"

namespace arb {
namespace {

constexpr double kAlpha = 5e-3;
constexpr double kBeta = 20e6;
constexpr int kSlots = 4;
constexpr size_t kElement = 4;
constexpr size_t kSlot = size_t{64} << 10;  // bytes of a chunk, where tiles pay

Report on_the_clock(std::string_view algorithm, int ranks) {
  const Schedule schedule = find_algorithm(Collective::kAllReduce, algorithm)->build(ranks, 0);
  const auto chunks = static_cast<size_t>(schedule.chunks);
  Report report;
  for (size_t bytes = 8; bytes <= size_t{4} << 20; bytes *= 2) {
    const size_t count = bytes / kElement;
    const size_t tile = tiling_pays(schedule, kSlots) ? kSlot / kElement * chunks : count;
    const Tiling tiling(count, schedule.chunks, false, tile, 16);
    Record record;
    record.algorithm = algorithm;
    record.ranks = ranks;
    record.bytes = static_cast<int64_t>(bytes);
    record.count = static_cast<int64_t>(count);
    record.time.emplace();
    record.time->n = 20;
    record.time->median = virtual_seconds(schedule, tiling, kElement, kSlots, {kAlpha, 1 / kBeta});
    record.traffic.emplace();
    const Tiling one(count, schedule.chunks, false, count, 16);
    record.traffic->steps =
        static_cast<int64_t>(virtual_seconds(schedule, one, kElement, kSlots, {1, 0}));
    record.traffic->path_bytes = path_bytes(schedule, tiling, kElement, kSlots);
    report.records.push_back(record);
  }
  analyze(report);
  return report;
}

void expect_the_link(std::string_view algorithm, int ranks, double error) {
  const Report report = on_the_clock(algorithm, ranks);
  ASSERT_EQ(report.fits.size(), 1U);
  const Fit& fit = report.fits[0];
  ASSERT_FALSE(fit.segments.empty()) << fit.refused;
  const std::string what = std::string(algorithm) + ", " + std::to_string(ranks) + " ranks";
  ASSERT_TRUE(fit.segments.front().alpha_s && fit.segments.back().beta_bytes_per_second) << what;
  EXPECT_NEAR(*fit.segments.front().alpha_s, kAlpha, error * kAlpha) << what;
  EXPECT_NEAR(*fit.segments.back().beta_bytes_per_second, kBeta, error * kBeta) << what;
}

TEST(VirtualTimes, GiveTheLinkBack) {
  for (const char* algorithm : {"naive-root", "ring", "recursive-doubling", "rabenseifner"}) {
    for (const int ranks : {2, 3, 4, 5, 8, 16}) expect_the_link(algorithm, ranks, 0.01);
  }
}

// A pipeline hides part of its latency behind bytes and the other way round, the more so the deeper
// it is: the sum of both is an upper bound, and beta comes out too large.
TEST(VirtualTimes, GiveTheLinkBackFromPipelines) {
  for (const int ranks : {2, 3, 4, 5, 8}) expect_the_link("tree", ranks, 0.1);
}

TEST(VirtualTimes, GiveThePathPerByte) {
  for (const int ranks : {2, 4, 8}) {
    EXPECT_NEAR(*on_the_clock("ring", ranks).fits.at(0).traffic_factor, 2.0 * (ranks - 1) / ranks,
                1e-3);
    EXPECT_NEAR(*on_the_clock("naive-root", ranks).fits.at(0).traffic_factor, 2 * (ranks - 1),
                1e-3);
  }
}

}  // namespace
}  // namespace arb
