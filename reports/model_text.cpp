#include "reports/model_text.hpp"

#include <fmt/format.h>

#include <limits>

#include "reports/units.hpp"

namespace arb {
namespace {

Interval divided(const Interval& interval, double divisor) {
  return {interval.first / divisor, interval.second / divisor};
}

/// A slope's interval as a bandwidth; an end at or below zero leaves the bandwidth unbounded.
Interval as_bandwidth(const Interval& slope, double bytes) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  return {slope.second > 0 ? bytes / slope.second : kUnbounded,
          slope.first > 0 ? bytes / slope.first : kUnbounded};
}

}  // namespace

std::string latency_text(const Fit& fit, const Segment& segment) {
  if (!segment.alpha_s || fit.latency_steps.value_or(0) <= 0) {
    return "intercept " + about_time(segment.intercept_s, segment.intercept_ci95);
  }
  const auto steps = static_cast<double>(*fit.latency_steps);
  return "alpha " + about_time(*segment.alpha_s, divided(segment.intercept_ci95, steps));
}

std::string bandwidth_text(const Fit& fit, const Segment& segment) {
  if (segment.beta_bytes_per_second && fit.traffic_factor) {
    return "beta " + about_bandwidth(*segment.beta_bytes_per_second,
                                     as_bandwidth(segment.slope_ci95, *fit.traffic_factor));
  }
  if (!(segment.slope_s_per_byte > 0)) return "slope not above 0";
  return "1/slope " +
         about_bandwidth(1 / segment.slope_s_per_byte, as_bandwidth(segment.slope_ci95, 1));
}

std::string size_range(int64_t min_bytes, int64_t max_bytes) {
  return fmt::format("{} .. {}", exact_size(min_bytes), exact_size(max_bytes));
}

}  // namespace arb
