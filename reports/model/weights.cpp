#include "reports/model/weights.hpp"

#include <algorithm>
#include <cmath>

namespace arb {
namespace {

constexpr double kNormal95 = 1.959963984540054;
constexpr double kTypicalFloor = 0.1;  // an interval of a few equal ticks is not that sure
constexpr int kBisections = 30;

double standard_error(const Point& point) {
  if (!point.ci95) return 0;
  const double error = (point.ci95->second - point.ci95->first) / (2 * kNormal95 * point.seconds);
  return std::isfinite(error) && error > 0 ? error : 0;
}

double typical_of(std::vector<double> errors) {
  std::erase(errors, 0.0);
  if (errors.empty()) return 0;
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  return *middle;
}

// The interval of a few samples is itself uncertain by a third; the neighbours know about the same
// noise.
std::vector<double> smoothed(const std::vector<double>& errors) {
  std::vector<double> smooth(errors.size());
  for (size_t i = 0; i < errors.size(); ++i) {
    const double before = errors[i == 0 ? i : i - 1];
    const double after = errors[i + 1 == errors.size() ? i : i + 1];
    smooth[i] = std::exp((std::log(before) + 2 * std::log(errors[i]) + std::log(after)) / 4);
  }
  return smooth;
}

void set_spreads(std::vector<Observation>& observations, double tau) {
  for (Observation& one : observations) one.spread = std::hypot(one.standard_error, tau);
}

double squares_with(std::vector<Observation>& observations, double tau) {
  set_spreads(observations, tau);
  return fit_line(observations).squares;
}

}  // namespace

std::vector<Observation> observe(const Series& points) {
  std::vector<double> errors;
  errors.reserve(points.size());
  for (const Point& point : points) errors.push_back(standard_error(point));
  const double typical = typical_of(errors);
  if (typical > 0) {
    for (size_t i = 0; i < errors.size(); ++i) {
      errors[i] = points[i].ci95 ? std::max(errors[i], kTypicalFloor * typical) : typical;
    }
    errors = smoothed(errors);
  }
  std::vector<Observation> observations;
  observations.reserve(points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    Observation one;
    one.bytes = static_cast<double>(points[i].bytes);
    one.seconds = points[i].seconds;
    if (typical > 0) {
      one.standard_error = errors[i];
      one.spread = std::hypot(errors[i], kAgreement) / std::hypot(typical, kAgreement);
    }
    observations.push_back(one);
  }
  return observations;
}

bool all_measured(std::span<const Observation> observations) {
  return std::none_of(observations.begin(), observations.end(),
                      [](const Observation& one) { return one.standard_error <= 0; });
}

std::vector<Observation> balance(std::vector<Observation> observations) {
  if (!all_measured(observations)) return observations;
  const double freedom = static_cast<double>(observations.size()) - 2;
  double low = 0;
  if (squares_with(observations, low) <= freedom) return observations;
  // Twice the largest relative residual is certainly too much.
  const Line line = fit_line(observations).line;
  double high = 0;
  for (const Observation& one : observations) {
    high = std::max(high, 2 * std::abs(one.spread * line.residual(one)));
  }
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (low + high) / 2;
    (squares_with(observations, middle) > freedom ? low : high) = middle;
  }
  set_spreads(observations, high);
  return observations;
}

}  // namespace arb
