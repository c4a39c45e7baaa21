#include "reports/model/line.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace arb {
namespace {

constexpr int kMaxSteps = 40;
constexpr int kMaxHalvings = 6;
constexpr double kConverged = 1e-13;

// Normal equations of one Gauss-Newton step, whose rows are (1, bytes) / line / spread, and the
// squares before it.
struct Normal {
  Eigen::Matrix2d matrix = Eigen::Matrix2d::Zero();
  Eigen::Vector2d right = Eigen::Vector2d::Zero();
  double squares = 0;
};

Normal normal_equations(const Line& line, std::span<const Observation> observations) {
  Normal normal;
  for (const Observation& observation : observations) {
    const double scale = 1 / (line.at(observation.bytes) * observation.spread);
    const double residual = line.residual(observation);
    const Eigen::Vector2d row(scale, scale * observation.bytes);
    normal.matrix += row * row.transpose();
    normal.right += row * residual;
    normal.squares += residual * residual;
  }
  return normal;
}

double gain(const Normal& normal, const Eigen::Vector2d& step) {
  return 2 * normal.right.dot(step) - step.dot(normal.matrix * step);
}

// The two columns differ by ten orders of magnitude, so they are brought to unit length first.
Eigen::Vector2d solve(const Normal& normal) {
  const Eigen::Vector2d length = normal.matrix.diagonal().cwiseSqrt();
  const Eigen::Matrix2d scaled =
      length.cwiseInverse().asDiagonal() * normal.matrix * length.cwiseInverse().asDiagonal();
  return scaled.ldlt().solve(normal.right.cwiseQuotient(length)).cwiseQuotient(length);
}

// The step to the minimum of the quadratic model over the quadrant intercept, slope >= 0.
Eigen::Vector2d bounded_step(const Line& line, const Normal& normal) {
  Eigen::Vector2d free = solve(normal);
  if (free.allFinite() && line.intercept + free[0] >= 0 && line.slope + free[1] >= 0) return free;
  const Eigen::Matrix2d& m = normal.matrix;
  Eigen::Vector2d without_intercept(-line.intercept, 0);
  without_intercept[1] =
      std::max(-line.slope, (normal.right[1] - m(0, 1) * without_intercept[0]) / m(1, 1));
  Eigen::Vector2d without_slope(0, -line.slope);
  without_slope[0] =
      std::max(-line.intercept, (normal.right[0] - m(0, 1) * without_slope[1]) / m(0, 0));
  return gain(normal, without_intercept) > gain(normal, without_slope) ? without_intercept
                                                                       : without_slope;
}

// Linear least squares with weights 1 / measured^2: biased low under noise, a good place to start
// from.
Line first_guess(std::span<const Observation> observations) {
  Normal normal;
  for (const Observation& observation : observations) {
    const double scale = 1 / (observation.seconds * observation.spread);
    const Eigen::Vector2d row(scale, scale * observation.bytes);
    normal.matrix += row * row.transpose();
    normal.right += row / observation.spread;
  }
  const Eigen::Vector2d start = bounded_step(Line{}, normal);
  return Line{start[0], start[1]};
}

}  // namespace

double Line::residual(const Observation& observation) const {
  return std::log(observation.seconds / at(observation.bytes)) / observation.spread;
}

LineFit fit_line(std::span<const Observation> observations) {
  return refine_line(first_guess(observations), observations, kConverged);
}

LineFit refine_line(const Line& start, std::span<const Observation> observations,
                    double tolerance) {
  Line line = start;
  Normal normal = normal_equations(line, observations);
  for (int i = 0; i < kMaxSteps; ++i) {
    Eigen::Vector2d step = bounded_step(line, normal);
    Line next;
    Normal after;
    for (int halving = 0; halving <= kMaxHalvings; ++halving, step /= 2) {
      next = {std::max(0.0, line.intercept + step[0]), std::max(0.0, line.slope + step[1])};
      after = normal_equations(next, observations);
      if (after.squares <= normal.squares) break;
    }
    if (!(after.squares <= normal.squares)) break;
    const bool converged =
        std::abs(next.intercept - line.intercept) <= tolerance * line.intercept &&
        std::abs(next.slope - line.slope) <= tolerance * line.slope;
    line = next;
    normal = after;
    if (converged) break;
  }
  return {line, normal.squares};
}

Uncertainty uncertainty_of(const Line& line, std::span<const Observation> observations) {
  const Normal normal = normal_equations(line, observations);
  const Eigen::Vector2d step = solve(normal);
  Uncertainty uncertainty;
  uncertainty.center = Eigen::Vector2d(line.intercept, line.slope) + step;
  uncertainty.freedom = static_cast<double>(observations.size()) - 2;
  const double squares = normal.squares - normal.right.dot(step);
  const Eigen::Vector2d length = normal.matrix.diagonal().cwiseSqrt();
  const Eigen::Matrix2d scaled =
      length.cwiseInverse().asDiagonal() * normal.matrix * length.cwiseInverse().asDiagonal();
  uncertainty.covariance =
      length.cwiseInverse().asDiagonal() * scaled.inverse() * length.cwiseInverse().asDiagonal();
  uncertainty.covariance *= std::max(0.0, squares) / uncertainty.freedom;
  return uncertainty;
}

}  // namespace arb
