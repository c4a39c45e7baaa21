// Order statistics that a few bad values do not move.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace arb {

/// The index-th smallest, from 0. `values` must have it.
inline double smallest(std::vector<double> values, size_t index) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Always a measured value: of an even number the lower of the middle two. Not of nothing.
inline double lower_median(const std::vector<double>& values) {
  return smallest(values, (values.size() - 1) / 2);
}

}  // namespace arb
