// Order statistics of samples. Nothing here assumes a distribution, and nothing is dropped as an
// outlier.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "reports/record.hpp"

namespace arb {

// 1-based ranks of the two order statistics that enclose the median with at least 95 % confidence.
struct MedianRanks {
  int64_t low = 0;
  int64_t high = 0;
};

// Exact binomial coverage up to 1,000 samples, the normal approximation (Le Boudec) above. Null
// with fewer than 6 samples: even their extremes enclose the median with less than 95 %.
std::optional<MedianRanks> median_ci95_ranks(int64_t n);

// The samples come by value because they are reordered. An empty vector is an error of kind
// kInternal.
double median(std::vector<double> samples);
double mean(const std::vector<double>& samples);

// Nearest rank: the smallest sample that at least `share` (0..1] of the samples do not exceed.
// Always a measured value.
double percentile(std::vector<double> samples, double share);

std::optional<std::pair<double, double>> median_ci95(std::vector<double> samples);

// p95 and p99 only from enough samples to have one above them. No samples: n is 0 and nothing else
// is to be read.
TimeStats summarize(const std::vector<double>& samples, int64_t batch = 1, bool keep_raw = false);

}  // namespace arb
