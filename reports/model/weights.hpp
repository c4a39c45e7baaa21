// How much each size counts.
#pragma once

#include <span>
#include <vector>

#include "reports/model/line.hpp"
#include "reports/model/point.hpp"

namespace arb {

// The model itself is not truer than this, relative, however surely the times are measured.
inline constexpr double kAgreement = 0.04;

// Spreads good enough to look for knees and outliers: from the measured intervals, but none far
// below the typical one. Without any interval all sizes count the same.
std::vector<Observation> observe(const Series& points);

// Whether every size has a measured interval.
bool all_measured(std::span<const Observation> observations);

// For observations on one line: spread^2 = standard error^2 + tau^2, where tau is the scatter
// around the line that the measured intervals do not explain (Paule and Mandel 1982). Unchanged
// where nothing was measured. At least three.
std::vector<Observation> balance(std::vector<Observation> observations);

}  // namespace arb
