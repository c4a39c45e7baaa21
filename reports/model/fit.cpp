#include "reports/model/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "reports/model/segments.hpp"
#include "reports/model/trimmed.hpp"
#include "reports/model/weights.hpp"

namespace arb {
namespace {

constexpr double kConfidenceTail = 0.025;
constexpr size_t kLeastSizes = 3;

std::string refusal(const FitInput& input, const Series& points) {
  if (input.ranks == 1) return "one rank: nothing is sent";
  for (const Point& point : points) {
    if (!std::isfinite(point.seconds) || point.seconds <= 0) {
      return fmt::format("the time at {} bytes is not a positive number", point.bytes);
    }
  }
  size_t sizes = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    if (i == 0 || points[i].bytes > points[i - 1].bytes) ++sizes;
  }
  if (sizes < kLeastSizes) {
    return fmt::format("{} sizes measured, a line with its error needs at least {}", sizes,
                       kLeastSizes);
  }
  return {};
}

// A bound can hold the estimate outside the interval of the free parameter: the interval then
// reaches to it.
std::pair<double, double> interval(double estimate, double center, double half_width) {
  return {std::min(estimate, std::max(0.0, center - half_width)),
          std::max(estimate, center + half_width)};
}

// The bytes on the critical path as a line over the size of the message, through the two ends of a
// segment.
struct PathLine {
  double offset = 0, factor = 0;
};

std::optional<PathLine> path_line(const Series& points, const Segment& segment) {
  std::optional<double> first, last;
  for (const Point& point : points) {
    if (point.bytes == segment.min_bytes) first = point.path_bytes;
    if (point.bytes == segment.max_bytes) last = point.path_bytes;
  }
  if (!first || !last || *last <= *first) return std::nullopt;
  const auto bytes = static_cast<double>(segment.max_bytes - segment.min_bytes);
  const double factor = (*last - *first) / bytes;
  return PathLine{*first - factor * static_cast<double>(segment.min_bytes), factor};
}

// The line of the segment says: alpha * steps + (offset + factor * size) / beta.
void solve(Segment& segment, const std::optional<PathLine>& path, std::optional<int64_t> steps) {
  double latency = segment.intercept_s;
  if (path && segment.slope_s_per_byte > 0) {
    segment.beta_bytes_per_second = path->factor / segment.slope_s_per_byte;
    latency -= path->offset / *segment.beta_bytes_per_second;
  }
  if (steps.value_or(0) > 0 && segment.intercept_s > 0 && latency > 0) {
    segment.alpha_s = latency / static_cast<double>(*steps);
  }
}

// From the first to the last size that the line explains: outliers at an edge belong to no segment.
Segment describe(const FittedLine& fitted, const std::vector<Observation>& kept,
                 std::span<const Observation> all) {
  const Uncertainty& uncertainty = fitted.uncertainty;
  const boost::math::students_t student(uncertainty.freedom);
  const double quantile = boost::math::quantile(boost::math::complement(student, kConfidenceTail));
  Segment segment;
  segment.min_bytes = static_cast<int64_t>(kept.front().bytes);
  segment.max_bytes = static_cast<int64_t>(kept.back().bytes);
  segment.intercept_s = fitted.line.intercept;
  segment.slope_s_per_byte = fitted.line.slope;
  segment.intercept_ci95 = interval(segment.intercept_s, uncertainty.center[0],
                                    quantile * std::sqrt(uncertainty.covariance(0, 0)));
  segment.slope_ci95 = interval(segment.slope_s_per_byte, uncertainty.center[1],
                                quantile * std::sqrt(uncertainty.covariance(1, 1)));
  for (const Observation& observation : all) {
    if (observation.bytes < kept.front().bytes || observation.bytes > kept.back().bytes) continue;
    const double predicted = fitted.line.at(observation.bytes);
    segment.max_relative_error =
        std::max(segment.max_relative_error,
                 std::abs(predicted - observation.seconds) / observation.seconds);
  }
  return segment;
}

}  // namespace

FitResult fit_series(const FitInput& input) {
  FitResult result;
  result.fit.ranks = input.ranks;
  result.fit.latency_steps = input.latency_steps;
  Series points = input.points;
  std::erase_if(points, [](const Point& point) { return point.bytes <= 0; });
  std::stable_sort(points.begin(), points.end(),
                   [](const Point& a, const Point& b) { return a.bytes < b.bytes; });
  result.fit.refused = refusal(input, points);
  if (!result.fit.refused.empty()) return result;

  const std::vector<Observation> observations = observe(points);
  for (const Piece& piece : find_pieces(observations)) {
    const std::span<const Observation> all =
        std::span(observations).subspan(piece.begin, piece.end - piece.begin);
    const std::vector<Observation> kept = balance(kept_by(piece.line, all, piece.left_out));
    const Line line = fit_line(kept).line;
    const FittedLine fitted{line, uncertainty_of(line, kept)};
    Segment segment = describe(fitted, kept, all);
    const std::optional<PathLine> path = path_line(points, segment);
    solve(segment, path, input.latency_steps);
    result.fit.traffic_factor = path ? std::optional(path->factor) : std::nullopt;
    result.fit.segments.push_back(segment);
    result.lines.push_back(fitted);
  }
  // What a later line would take for an empty message says nothing about the latency of one.
  for (size_t i = 1; i < result.fit.segments.size(); ++i) result.fit.segments[i].alpha_s.reset();
  return result;
}

}  // namespace arb
