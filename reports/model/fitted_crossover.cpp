#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "reports/model/crossover.hpp"

namespace arb {
namespace {

// Where both fits keep to one line each.
struct Stretch {
  double begin = 0, end = 0;
  const FittedLine* first = nullptr;
  const FittedLine* second = nullptr;
  double last_size = 0, next_size = 0;  // the measured sizes around `end`
};

struct Break {
  double bytes = 0;
  double before = 0, after = 0;  // last size of the one segment, first size of the next
};

std::vector<Break> breaks_of(const Fit& fit) {
  std::vector<Break> breaks;
  for (size_t i = 0; i + 1 < fit.segments.size(); ++i) {
    const auto before = static_cast<double>(fit.segments[i].max_bytes);
    const auto after = static_cast<double>(fit.segments[i + 1].min_bytes);
    breaks.push_back({std::sqrt(before * after), before, after});
  }
  return breaks;
}

size_t segment_at(const std::vector<Break>& breaks, double bytes) {
  return static_cast<size_t>(std::count_if(
      breaks.begin(), breaks.end(), [bytes](const Break& one) { return one.bytes <= bytes; }));
}

std::vector<Stretch> stretches(const FitResult& first, const FitResult& second) {
  const std::vector<Break> first_breaks = breaks_of(first.fit);
  const std::vector<Break> second_breaks = breaks_of(second.fit);
  const auto begin = static_cast<double>(
      std::max(first.fit.segments.front().min_bytes, second.fit.segments.front().min_bytes));
  const auto end = static_cast<double>(
      std::min(first.fit.segments.back().max_bytes, second.fit.segments.back().max_bytes));
  std::vector<Break> ends = first_breaks;
  ends.insert(ends.end(), second_breaks.begin(), second_breaks.end());
  std::erase_if(ends, [&](const Break& one) { return one.bytes <= begin || one.bytes >= end; });
  ends.push_back({end, end, end});
  std::sort(ends.begin(), ends.end(),
            [](const Break& a, const Break& b) { return a.bytes < b.bytes; });
  std::vector<Stretch> all;
  double from = begin;
  for (const Break& one : ends) {
    if (one.bytes <= from) continue;
    all.push_back({from, one.bytes, &first.lines[segment_at(first_breaks, from)],
                   &second.lines[segment_at(second_breaks, from)], one.before, one.after});
    from = one.bytes;
  }
  return all;
}

double difference(const Stretch& stretch, double bytes) {
  return stretch.first->line.at(bytes) - stretch.second->line.at(bytes);
}

double variance(const FittedLine& line, double bytes) {
  const Eigen::Vector2d at(1, bytes);
  return at.dot(line.uncertainty.covariance * at);
}

// Student's t for the difference of the two lines at this size, with Welch's degrees of freedom.
double quantile(const Stretch& stretch, double bytes) {
  const double first = variance(*stretch.first, bytes);
  const double second = variance(*stretch.second, bytes);
  const double first_freedom = stretch.first->uncertainty.freedom;
  const double second_freedom = stretch.second->uncertainty.freedom;
  double freedom = std::min(first_freedom, second_freedom);
  if (first + second > 0) {
    const double share = first / (first + second);
    freedom = 1 / (share * share / first_freedom + (1 - share) * (1 - share) / second_freedom);
  }
  return boost::math::quantile(boost::math::complement(boost::math::students_t(freedom), 0.025));
}

bool told_apart_at(const Stretch& stretch, double bytes) {
  const double error =
      std::sqrt(variance(*stretch.first, bytes) + variance(*stretch.second, bytes));
  return std::abs(difference(stretch, bytes)) > quantile(stretch, bytes) * error;
}

// In units of the crossing, so that the coefficients have the same magnitude: the set of x with
// (constant + linear x)^2 <= t^2 variance(x).
void add_fieller(const Stretch& stretch, double bytes, Crossover& crossover) {
  const double t = quantile(stretch, bytes);
  const Eigen::Matrix2d covariance =
      stretch.first->uncertainty.covariance + stretch.second->uncertainty.covariance;
  const double constant = stretch.first->line.intercept - stretch.second->line.intercept;
  const double linear = (stretch.first->line.slope - stretch.second->line.slope) * bytes;
  const double a = linear * linear - t * t * covariance(1, 1) * bytes * bytes;
  const double b = constant * linear - t * t * covariance(0, 1) * bytes;
  const double c = constant * constant - t * t * covariance(0, 0);
  if (a <= 0) return;
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  crossover.ci95 = {std::clamp((-b - root) / a, 0.0, 1.0) * bytes,
                    std::max((-b + root) / a, 1.0) * bytes};
  crossover.resolved = c > 0 && crossover.ci95->first > 0;
}

Crossover crossing_inside(const Stretch& stretch) {
  const double slopes = stretch.second->line.slope - stretch.first->line.slope;
  const double intercepts = stretch.first->line.intercept - stretch.second->line.intercept;
  Crossover crossover;
  const double bytes = std::clamp(intercepts / slopes, stretch.begin, stretch.end);
  crossover.bytes = bytes;
  add_fieller(stretch, bytes, crossover);
  return crossover;
}

// The order changes with a jump from one segment to the next: somewhere between two measured sizes.
Crossover crossing_at_break(const Stretch& before, const Stretch& after) {
  Crossover crossover;
  crossover.bytes = before.end;
  crossover.ci95 = {before.last_size, before.next_size};
  crossover.resolved = told_apart_at(before, before.end) && told_apart_at(after, after.begin);
  return crossover;
}

}  // namespace

std::vector<Crossover> fitted_crossovers(const Contender& first, const Contender& second) {
  if (first.fitted.lines.empty() || second.fitted.lines.empty()) return {};
  std::vector<Crossover> found;
  bool known = false;
  bool first_slower = false;
  const auto visit = [&](double value, const auto& crossing) {
    if (value == 0) return;
    const bool slower = value > 0;
    if (known && slower != first_slower) {
      Crossover crossover = crossing();
      crossover.from = slower ? first.algorithm : second.algorithm;
      crossover.to = slower ? second.algorithm : first.algorithm;
      crossover.method = "fitted";
      found.push_back(crossover);
    }
    known = true;
    first_slower = slower;
  };
  const std::vector<Stretch> all = stretches(first.fitted, second.fitted);
  for (size_t i = 0; i < all.size(); ++i) {
    visit(difference(all[i], all[i].begin),
          [&] { return crossing_at_break(all[i == 0 ? 0 : i - 1], all[i]); });
    visit(difference(all[i], all[i].end), [&] { return crossing_inside(all[i]); });
  }
  return found;
}

}  // namespace arb
