// How much each size counts.
#pragma once

#include <vector>

#include "reports/model/line.hpp"
#include "reports/model/point.hpp"

namespace arb {

// Spreads good enough to look for knees and outliers: from the measured intervals, but none far
// below the typical one. Without any interval all sizes count the same.
std::vector<Observation> observe(const Series& points);

// For observations on one line: spread^2 = standard error^2 + tau^2, where tau is the scatter
// around the line that the measured intervals do not explain (Paule and Mandel 1982). Unchanged
// where nothing was measured. At least three.
std::vector<Observation> balance(std::vector<Observation> observations);

}  // namespace arb
