#include "reports/compare/prior.hpp"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <numeric>

namespace arb {
namespace {

// Starts differ with heavy tails: however alike the rows are, their spread is never known better
// than by so many repetitions.
constexpr double kMostFreedom = 8;
constexpr double kLeastFreedom = 1;
constexpr double kSmallestShare =
    1e-5;  // of the median variance: a row without any has no logarithm

/// x with trigamma(x) = value; trigamma falls.
double trigamma_inverse(double value) {
  double low = kLeastFreedom / 2, high = kMostFreedom / 2;
  if (value >= boost::math::trigamma(low)) return low;
  if (value <= boost::math::trigamma(high)) return high;
  while (high - low > 1e-6) {
    const double half = std::midpoint(low, high);
    (boost::math::trigamma(half) > value ? low : high) = half;
  }
  return low;
}

double log_bias(double freedom) {
  return boost::math::digamma(freedom / 2) - std::log(freedom / 2);
}

}  // namespace

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return std::midpoint(values[(values.size() - 1) / 2], values[values.size() / 2]);
}

double scatter_variance(std::vector<double> values) {
  constexpr double kNormal = 1.4826;  // standard deviation / MAD
  const double middle = median_of(values);
  for (double& value : values) value = std::abs(value - middle);
  const double deviation = kNormal * median_of(std::move(values));
  return deviation * deviation;
}

TypicalVariance typical_variance(const std::vector<Variance>& rows) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const Variance& row : rows) values.push_back(row.value);
  const double smallest = kSmallestShare * median_of(values);
  if (smallest <= 0) return {{0, kMostFreedom}, 0};
  std::vector<double> logs;
  double chance = 0;  // of the logarithms, were all rows alike
  for (const Variance& row : rows) {
    logs.push_back(std::log(std::max(row.value, smallest)) - log_bias(row.freedom));
    chance += boost::math::trigamma(row.freedom / 2);
  }
  const auto n = static_cast<double>(rows.size());
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / n;
  double squares = 0;
  for (const double log : logs) squares += (log - mean) * (log - mean);
  const double differing = n > 1 ? squares / (n - 1) - chance / n : 0;
  const double freedom = differing <= 0 ? kMostFreedom : 2 * trigamma_inverse(differing);
  return {{std::exp(mean + log_bias(freedom)), freedom}, std::exp(mean)};
}

Variance moderated(const Variance& own, const Variance& typical) {
  const double freedom = own.freedom + typical.freedom;
  if (freedom <= 0) return {0, 0};
  return {(own.freedom * own.value + typical.freedom * typical.value) / freedom, freedom};
}

}  // namespace arb
