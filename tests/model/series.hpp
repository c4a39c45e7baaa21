// Series with known truth.
#pragma once

#include <cmath>
#include <functional>
#include <random>

#include "reports/model/fit.hpp"

namespace arb {

using Truth = std::function<double(double bytes)>;

inline Truth straight(double intercept, double slope) {
  return [=](double bytes) { return intercept + slope * bytes; };
}

inline Series doubling_sizes(int64_t first, int count) {
  Series points;
  for (int i = 0; i < count; ++i) points.push_back({first << i, 0, std::nullopt, 0});
  return points;
}

// Exact times, with an interval of +- `relative` around them if it is not negative.
inline Series exact(Series points, const Truth& truth, double relative = -1) {
  for (Point& point : points) {
    point.seconds = truth(static_cast<double>(point.bytes));
    if (relative >= 0) {
      point.ci95 = {point.seconds * (1 - relative), point.seconds * (1 + relative)};
      point.n = 100;
    }
  }
  return points;
}

// With `factor` bytes on the critical path for each byte of message.
inline Series on_path(Series points, double factor) {
  for (Point& point : points) point.path_bytes = factor * static_cast<double>(point.bytes);
  return points;
}

inline Series noisy(Series points, const Truth& truth, double sigma, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  for (Point& point : points) {
    point.seconds = truth(static_cast<double>(point.bytes)) * std::exp(sigma * normal(generator));
  }
  return points;
}

inline FitResult fit_points(const Series& points) {
  return fit_series({.points = points, .ranks = 4, .latency_steps = {}});
}

}  // namespace arb
