#include "reports/compare/ranks.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace arb {
namespace {

// Equal up to rounding: logarithms of numbers of 15 digits.
constexpr double kRounding = 1e-9;

struct Sample {
  double value;
  bool fresh;
};

/// P(W = w) for every w.
std::vector<double> signed_rank_distribution(int64_t n) {
  std::vector<double> chance(static_cast<size_t>(n * (n + 1) / 2) + 1, 0.0);
  chance[0] = 1;
  size_t top = 0;
  for (size_t rank = 1; rank <= static_cast<size_t>(n); ++rank) {
    top += rank;
    for (size_t w = top + 1; w-- > 0;) {
      chance[w] = (chance[w] + (w >= rank ? chance[w - rank] : 0)) / 2;
    }
  }
  return chance;
}

}  // namespace

std::optional<double> rank_sum_p(const std::vector<double>& base,
                                 const std::vector<double>& fresh) {
  if (base.empty() || fresh.empty()) return std::nullopt;
  std::vector<Sample> all;
  all.reserve(base.size() + fresh.size());
  for (const double value : base) all.push_back({value, false});
  for (const double value : fresh) all.push_back({value, true});
  std::sort(all.begin(), all.end(),
            [](const Sample& a, const Sample& b) { return a.value < b.value; });
  double ranks = 0, ties = 0;  // of fresh; sum of t^3 - t
  for (size_t first = 0, last = 0; first < all.size(); first = last) {
    while (last < all.size() && all[last].value == all[first].value) ++last;
    const double shared = static_cast<double>(first + last + 1) / 2;
    const auto count = static_cast<double>(last - first);
    ties += count * count * count - count;
    for (size_t i = first; i < last; ++i) ranks += all[i].fresh ? shared : 0;
  }
  const auto n = static_cast<double>(base.size()), m = static_cast<double>(fresh.size());
  const double total = n + m;
  const double above = ranks - m * (m + 1) / 2;
  const double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));
  if (variance <= 0) return 1;  // all the same
  const double z = (above - n * m / 2 - 0.5) / std::sqrt(variance);
  return boost::math::cdf(boost::math::complement(boost::math::normal(), z));
}

double signed_rank_tail(int64_t n, int64_t w) {
  if (w <= 0) return 1;
  if (w > n * (n + 1) / 2) return 0;
  const std::vector<double> chance = signed_rank_distribution(n);
  return std::accumulate(chance.begin() + w, chance.end(), 0.0);
}

WalshAverages::WalshAverages(const std::vector<double>& differences)
    : pairs_(static_cast<int64_t>(differences.size())) {
  for (size_t i = 0; i < differences.size(); ++i) {
    for (size_t k = i; k < differences.size(); ++k) {
      sorted_.push_back(std::midpoint(differences[i], differences[k]));
    }
  }
  std::sort(sorted_.begin(), sorted_.end());
}

double WalshAverages::median() const {
  const size_t half = sorted_.size() / 2;
  return sorted_.size() % 2 == 1 ? sorted_[half] : std::midpoint(sorted_[half - 1], sorted_[half]);
}

double WalshAverages::p_above(double value) const {
  const auto above =
      sorted_.end() - std::upper_bound(sorted_.begin(), sorted_.end(), value + kRounding);
  return signed_rank_tail(pairs_, above);
}

std::pair<double, double> WalshAverages::interval(double tail) const {
  const std::vector<double> chance = signed_rank_distribution(pairs_);
  size_t left_out = 0;  // averages at each end
  for (double below = chance[0]; below <= tail && left_out < sorted_.size();) {
    below += chance[++left_out];
  }
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  if (left_out == 0) return {-kUnbounded, kUnbounded};
  return {sorted_[left_out - 1], sorted_[sorted_.size() - left_out]};
}

int64_t pairs_needed(double tail) { return static_cast<int64_t>(std::ceil(-std::log2(tail))); }

}  // namespace arb
