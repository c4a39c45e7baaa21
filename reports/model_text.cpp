#include "reports/model_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "reports/units.hpp"

namespace arb {
namespace {

Interval divided(const Interval& interval, double divisor) {
  return {interval.first / divisor, interval.second / divisor};
}

/// A slope's interval as a bandwidth, for so many bytes per byte of message; an end at or below
/// zero leaves the bandwidth unbounded.
Interval as_bandwidth(const Interval& slope, double bytes) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  return {slope.second > 0 ? bytes / slope.second : kUnbounded,
          slope.first > 0 ? bytes / slope.first : kUnbounded};
}

bool has_beta(const Fit& fit, const Segment& segment) {
  return segment.beta_bytes_per_second && fit.traffic_factor;
}

bool has_steps(const Fit& fit) { return fit.latency_steps.value_or(0) > 0; }

/// Is there a latency to tell? Without steps the intercept is.
bool has_latency(const Fit& fit) {
  const Segment& first = fit.segments.front();
  return has_steps(fit) ? first.alpha_s.has_value() : first.intercept_s > 0;
}

/// The slope may be 0, and makes up less than half of the time even at the largest size.
bool flat(const Segment& segment) {
  const double growth = segment.slope_s_per_byte * static_cast<double>(segment.max_bytes);
  return segment.slope_s_per_byte <= 0 ||
         (segment.slope_ci95.first <= 0 && growth < segment.intercept_s);
}

std::string latency_value(const Fit& fit) {
  const Segment& first = fit.segments.front();
  if (!has_steps(fit)) return about_time(first.intercept_s, first.intercept_ci95);
  // Alpha is as uncertain as the intercept that it is a share of.
  const auto steps = static_cast<double>(*fit.latency_steps);
  const double rest = first.intercept_s - *first.alpha_s * steps;
  const Interval latency{std::max(0.0, first.intercept_ci95.first - rest),
                         first.intercept_ci95.second - rest};
  return about_time(*first.alpha_s, divided(latency, steps));
}

std::string bandwidth_value(const Fit& fit, const Segment& segment) {
  if (!has_beta(fit, segment)) {
    return about_bandwidth(1 / segment.slope_s_per_byte, as_bandwidth(segment.slope_ci95, 1));
  }
  const double factor = *segment.beta_bytes_per_second * segment.slope_s_per_byte;
  return about_bandwidth(*segment.beta_bytes_per_second, as_bandwidth(segment.slope_ci95, factor));
}

}  // namespace

std::string latency_text(const Fit& fit) {
  const std::string name = has_steps(fit) ? "alpha " : "intercept ";
  return name + (has_latency(fit) ? latency_value(fit) : "not resolved");
}

std::string bandwidth_text(const Fit& fit, const Segment& segment) {
  const std::string name = fit.traffic_factor ? "beta " : "1/slope ";
  return name + (flat(segment) ? "not resolved (flat)" : bandwidth_value(fit, segment));
}

std::string fit_sentence(const Fit& fit) {
  if (fit.segments.empty()) return fmt::format("{}: no fit ({}).", fit.algorithm, fit.refused);
  const Segment& small = fit.segments.front();
  const Segment& large = fit.segments.back();
  const bool several = fit.segments.size() > 1;
  std::string text = fit.algorithm + ": ";
  if (has_latency(fit)) {
    text += fmt::format("{} takes {} ({}{})", has_steps(fit) ? "a step" : "a small message",
                        latency_value(fit), has_steps(fit) ? "alpha" : "intercept",
                        several ? ", up to " + exact_size(small.max_bytes) : "");
  } else {
    text += "the latency is not resolved";
  }
  if (flat(large)) return text + "; the bandwidth is not resolved (flat).";
  return text + fmt::format("; bytes move at {} ({}{}).", bandwidth_value(fit, large),
                            has_beta(fit, large) ? "beta" : "1/slope",
                            several ? ", from " + exact_size(large.min_bytes) : "");
}

std::string size_range(int64_t min_bytes, int64_t max_bytes) {
  return fmt::format("{} .. {}", exact_size(min_bytes), exact_size(max_bytes));
}

}  // namespace arb
