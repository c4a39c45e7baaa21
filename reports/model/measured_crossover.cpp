#include <cmath>
#include <limits>

#include "reports/model/crossover.hpp"

namespace arb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// At one size: by how much `from` takes longer than `to`, and the range the two intervals leave for
// it.
struct Difference {
  double bytes = 0;
  double median = 0;
  double low = -kInfinity;
  double high = kInfinity;

  int resolved_sign() const { return low > 0 ? 1 : high < 0 ? -1 : 0; }
  Difference reversed() const { return {bytes, -median, -high, -low}; }
};

std::vector<Difference> differences(const Series& from, const Series& to) {
  const CommonSizes common = common_sizes(from, to);
  std::vector<Difference> all;
  for (size_t i = 0; i < common.first.size(); ++i) {
    const Point& a = common.first[i];
    const Point& b = common.second[i];
    Difference difference{static_cast<double>(a.bytes), a.seconds - b.seconds, -kInfinity,
                          kInfinity};
    if (a.ci95 && b.ci95) {
      difference.low = a.ci95->first - b.ci95->second;
      difference.high = a.ci95->second - b.ci95->first;
    }
    all.push_back(difference);
  }
  return all;
}

// Where a quantity with these values at the two sizes is zero; an unknown one may be zero up to the
// known.
double zero_between(const Difference& left, const Difference& right, double at_left,
                    double at_right) {
  if (std::isinf(at_left)) return right.bytes;
  if (std::isinf(at_right)) return left.bytes;
  return left.bytes + (right.bytes - left.bytes) * at_left / (at_left - at_right);
}

std::vector<double> median_zeros(const std::vector<Difference>& all, size_t begin, size_t end) {
  std::vector<double> zeros;
  for (size_t i = begin; i < end; ++i) {
    if ((all[i].median < 0) == (all[i + 1].median < 0)) continue;
    zeros.push_back(zero_between(all[i], all[i + 1], all[i].median, all[i + 1].median));
  }
  return zeros;
}

// From `begin`, where `from` is resolvedly faster, to `end`, where `to` is; nothing is resolved in
// between.
Crossover resolved_change(const std::vector<Difference>& all, size_t begin, size_t end) {
  const std::vector<double> zeros = median_zeros(all, begin, end);
  Crossover crossover;
  crossover.bytes = std::sqrt(zeros.front() * zeros.back());
  crossover.ci95 = {zero_between(all[begin], all[begin + 1], all[begin].high, all[begin + 1].high),
                    zero_between(all[end - 1], all[end], all[end - 1].low, all[end].low)};
  crossover.resolved = true;
  return crossover;
}

std::vector<Crossover> resolved_changes(const std::vector<Difference>& all, const Contender& first,
                                        const Contender& second) {
  std::vector<Difference> reversed;
  reversed.reserve(all.size());
  for (const Difference& difference : all) reversed.push_back(difference.reversed());
  std::vector<Crossover> changes;
  int previous_sign = 0;
  size_t previous = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const int sign = all[i].resolved_sign();
    if (sign == 0) continue;
    if (previous_sign * sign < 0) {
      Crossover change = resolved_change(sign > 0 ? all : reversed, previous, i);
      change.from = sign > 0 ? first.algorithm : second.algorithm;
      change.to = sign > 0 ? second.algorithm : first.algorithm;
      changes.push_back(change);
    }
    previous_sign = sign;
    previous = i;
  }
  return changes;
}

}  // namespace

std::vector<Crossover> measured_crossovers(const Contender& first, const Contender& second) {
  const std::vector<Difference> all = differences(first.points, second.points);
  if (all.empty()) return {};
  std::vector<Crossover> found = resolved_changes(all, first, second);
  if (found.empty()) {
    const std::vector<double> zeros = median_zeros(all, 0, all.size() - 1);
    if (zeros.empty()) return {};
    Crossover unresolved;
    const bool first_leads = all.front().median < 0;
    unresolved.from = first_leads ? first.algorithm : second.algorithm;
    unresolved.to = first_leads ? second.algorithm : first.algorithm;
    if (zeros.size() == 1) unresolved.bytes = zeros.front();
    found.push_back(unresolved);
  }
  for (Crossover& crossover : found) crossover.method = "measured";
  return found;
}

}  // namespace arb
