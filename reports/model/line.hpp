// The line T = a + b * bytes with a, b >= 0, fitted by relative error.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace arb {

struct Observation {
  double bytes = 0;
  double seconds = 0;
  double spread = 1;          // how uncertain this size is, relative to the other sizes
  double standard_error = 0;  // relative, as measured; 0: not known
};

struct Line {
  double intercept = 0;
  double slope = 0;
  double at(double bytes) const { return intercept + slope * bytes; }
  // log(measured / line) / spread: over and under by the same factor count the same.
  double residual(const Observation& observation) const;
};

struct LineFit {
  Line line;
  double squares = 0;  // sum of squared residuals
};

// Least squares of the residuals above (Gauss-Newton with an active set for the two bounds). Needs
// a positive time everywhere and at least one observation.
LineFit fit_line(std::span<const Observation> observations);

// The same from a line nearby, only until the parameters move by less than `tolerance`, relative.
LineFit refine_line(const Line& start, std::span<const Observation> observations, double tolerance);

// What is known about the two parameters once the bounds are left aside: the centre is where the
// least squares would lie without bounds, to first order. Intervals from it keep their coverage
// when a bound is active.
struct Uncertainty {
  Eigen::Vector2d center = Eigen::Vector2d::Zero();
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  // scaled by the residual variance
  double freedom = 0;                                    // degrees of freedom of that variance
};

// Needs at least three observations of at least two sizes.
Uncertainty uncertainty_of(const Line& line, std::span<const Observation> observations);

}  // namespace arb
