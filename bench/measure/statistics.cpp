#include "bench/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "collectives/error.hpp"

namespace arb {
namespace {

constexpr int64_t kExactLimit =
    1000;  // 0.5^n underflows soon after; the approximation is then within one rank
constexpr double kNormal95 = 1.959963984540054;
constexpr double kTail = 0.025;
constexpr int64_t kSamplesForP95 = 20;
constexpr int64_t kSamplesForP99 = 100;

void require_samples(const std::vector<double>& samples) {
  if (samples.empty()) throw Error(ErrorKind::kInternal, "statistics of no samples");
}

double sorted_median(const std::vector<double>& sorted) {
  const size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : std::midpoint(sorted[half - 1], sorted[half]);
}

double sorted_percentile(const std::vector<double>& sorted, double share) {
  const auto n = static_cast<double>(sorted.size());
  // 0.95 * 20 is a little above 19 in binary; without the slack the rank would be 20.
  const double rank = std::clamp(std::ceil(share * n - 1e-9 * n), 1.0, n);
  return sorted[static_cast<size_t>(rank) - 1];
}

std::vector<double> sorted_copy(std::vector<double> samples) {
  require_samples(samples);
  std::sort(samples.begin(), samples.end());
  return samples;
}

std::optional<std::pair<double, double>> sorted_ci95(const std::vector<double>& sorted) {
  const auto ranks = median_ci95_ranks(static_cast<int64_t>(sorted.size()));
  if (!ranks) return std::nullopt;
  return std::pair{sorted[static_cast<size_t>(ranks->low) - 1],
                   sorted[static_cast<size_t>(ranks->high) - 1]};
}

}  // namespace

std::optional<MedianRanks> median_ci95_ranks(int64_t n) {
  if (n < 6) return std::nullopt;
  if (n > kExactLimit) {
    const auto size = static_cast<double>(n);
    const auto low = static_cast<int64_t>((size - kNormal95 * std::sqrt(size)) / 2);
    return MedianRanks{low, n + 1 - low};
  }
  // The largest `low` with P(Binomial(n, 1/2) < low) <= 2.5 %; by symmetry the upper rank mirrors
  // it.
  double probability = std::pow(0.5, static_cast<double>(n));
  double below = probability;
  int64_t low = 1;
  while (true) {
    probability *= static_cast<double>(n - low + 1) / static_cast<double>(low);
    if (below + probability > kTail) break;
    below += probability;
    ++low;
  }
  return MedianRanks{low, n + 1 - low};
}

double median(std::vector<double> samples) {
  return sorted_median(sorted_copy(std::move(samples)));
}

double mean(const std::vector<double>& samples) {
  require_samples(samples);
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

double percentile(std::vector<double> samples, double share) {
  return sorted_percentile(sorted_copy(std::move(samples)), share);
}

std::optional<std::pair<double, double>> median_ci95(std::vector<double> samples) {
  if (samples.empty()) return std::nullopt;
  return sorted_ci95(sorted_copy(std::move(samples)));
}

TimeStats summarize(const std::vector<double>& samples, int64_t batch, bool keep_raw) {
  TimeStats stats;
  stats.n = static_cast<int64_t>(samples.size());
  stats.batch = batch;
  if (samples.empty()) return stats;
  const std::vector<double> sorted = sorted_copy(samples);
  stats.min = sorted.front();
  stats.max = sorted.back();
  stats.median = sorted_median(sorted);
  stats.mean = mean(samples);
  stats.ci95 = sorted_ci95(sorted);
  if (stats.n >= kSamplesForP95) stats.p95 = sorted_percentile(sorted, 0.95);
  if (stats.n >= kSamplesForP99) stats.p99 = sorted_percentile(sorted, 0.99);
  if (keep_raw) stats.samples = samples;
  return stats;
}

}  // namespace arb
