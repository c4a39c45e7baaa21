// One measured size, as the model sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace arb {

struct Point {
  int64_t bytes = 0;
  double seconds = 0;                             // median of one operation
  std::optional<std::pair<double, double>> ci95;  // of the median
  int64_t n = 0;                                  // samples behind it
  std::optional<double> path_bytes{};             // on the critical path; null: not known
};

using Series = std::vector<Point>;  // of one algorithm, ascending in bytes, each size once

// The points of two series at the sizes both have, pairwise, ascending.
struct CommonSizes {
  Series first, second;
};
CommonSizes common_sizes(const Series& first, const Series& second);

// Whether the two medians are told apart: both have an interval, and the intervals are disjoint.
bool told_apart(const Point& first, const Point& second);

}  // namespace arb
