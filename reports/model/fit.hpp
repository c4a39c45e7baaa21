// The alpha-beta model: T = alpha * latency steps + (bytes on the critical path) / beta, piece by
// piece over the size of the message.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reports/model/line.hpp"
#include "reports/model/point.hpp"
#include "reports/record.hpp"

namespace arb {

struct FitInput {
  Series points;  // any order; zero bytes are left out, they tell nothing about the line
  int64_t ranks = 0;
  std::optional<int64_t> latency_steps;
};

// What a segment says and how surely, for whoever computes with it.
struct FittedLine {
  Line line;
  Uncertainty uncertainty;
};

struct FitResult {
  Fit fit;                        // names (backend, collective, algorithm) are left to the caller
  std::vector<FittedLine> lines;  // one per segment of `fit`
};

// * Least squares of log(measured / line), so every size counts by its relative error. Where
// intervals were measured,
//   sizes count by them and by the scatter around the line beyond them (weights.hpp).
// * Intercept and slope are never negative; their intervals are 95 %, by Student's t from the
// scatter around the line.
// * A segment reaches from the first to the last size its line explains. Outliers are left out of a
// line only where an
//   F test says so; inside a segment they still count in max_relative_error, |line / measured - 1|.
// * beta is the growth of the bytes on the critical path from the first to the last size of the
// segment, / the growth of the time: for a path of f bytes per byte of message f / slope.
// * alpha is what remains of the intercept, per step, after the bytes that the path has beyond f
// times the size (the filling of a pipeline; nothing where the path is proportional to the size).
// * alpha is null where nothing remains, the steps unknown or the segment not the first, beta where
// the slope is 0 or the path unknown.
// * Refused (text in Fit::refused, no segments): one rank, fewer than 3 sizes, a time that is not a
// positive number.
FitResult fit_series(const FitInput& input);

}  // namespace arb
