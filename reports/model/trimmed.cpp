#include "reports/model/trimmed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace arb {
namespace {

// With a quarter of outliers 56 % of the pairs are clean: 60 spread over the range cannot all be
// bad.
constexpr size_t kMaxPairs = 32;
constexpr int kMaxConcentrations = 2;
constexpr double kGoodEnough = 1e-4;  // relative; the line chosen in the end is fitted anew

struct Pair {
  size_t first, second;
};

std::vector<Pair> elemental_pairs(std::span<const Observation> observations) {
  std::vector<Pair> pairs;
  for (size_t i = 0; i < observations.size(); ++i) {
    for (size_t j = i + 1; j < observations.size(); ++j) {
      if (observations[i].bytes < observations[j].bytes) pairs.push_back({i, j});
    }
  }
  if (pairs.size() <= kMaxPairs) return pairs;
  std::vector<Pair> chosen;
  for (size_t k = 0; k < kMaxPairs; ++k) chosen.push_back(pairs[k * pairs.size() / kMaxPairs]);
  return chosen;
}

Line line_through(const Observation& low, const Observation& high) {
  const double slope = (high.seconds - low.seconds) / (high.bytes - low.bytes);
  if (slope <= 0) return {std::sqrt(low.seconds * high.seconds), 0};
  const double intercept = low.seconds - slope * low.bytes;
  if (intercept >= 0) return {intercept, slope};
  return {0, std::sqrt(low.seconds / low.bytes * high.seconds / high.bytes)};
}

std::vector<double> sorted_squares(const Line& line, std::span<const Observation> observations) {
  std::vector<double> squares;
  squares.reserve(observations.size());
  for (const Observation& observation : observations) {
    const double residual = line.residual(observation);
    squares.push_back(residual * residual);
  }
  std::sort(squares.begin(), squares.end());
  return squares;
}

// Keeps the better of what is known for each k and what this line gives.
void offer(const Line& line, std::span<const Observation> observations,
           std::vector<LineFit>& best) {
  std::vector<double> sums = sorted_squares(line, observations);
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  for (size_t k = 0; k < best.size(); ++k) {
    const double squares = sums[observations.size() - 1 - k];
    if (squares < best[k].squares) best[k] = {line, squares};
  }
}

// Refit to the kept, keep again: the sum of squares never grows.
void concentrate(std::span<const Observation> observations, int left_out,
                 std::vector<LineFit>& best) {
  LineFit& entry = best[static_cast<size_t>(left_out)];
  for (int i = 0; i < kMaxConcentrations; ++i) {
    const double before = entry.squares;
    const auto kept = kept_by(entry.line, observations, left_out);
    offer(refine_line(entry.line, kept, kGoodEnough).line, observations, best);
    if (!(entry.squares < before * (1 - kGoodEnough))) break;
  }
}

}  // namespace

std::vector<LineFit> fit_trimmed(std::span<const Observation> observations, int max_left_out) {
  const LineFit whole = fit_line(observations);
  std::vector<LineFit> best(static_cast<size_t>(max_left_out) + 1, whole);
  if (max_left_out == 0) return best;
  offer(whole.line, observations, best);
  for (const Pair& pair : elemental_pairs(observations)) {
    offer(line_through(observations[pair.first], observations[pair.second]), observations, best);
  }
  for (int k = 1; k <= max_left_out; ++k) concentrate(observations, k, best);
  return best;
}

std::vector<Observation> kept_by(const Line& line, std::span<const Observation> observations,
                                 int left_out) {
  std::vector<size_t> order(observations.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<double> distance;
  distance.reserve(observations.size());
  for (const Observation& observation : observations) {
    distance.push_back(std::abs(line.residual(observation)));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return distance[a] < distance[b]; });
  order.resize(observations.size() - static_cast<size_t>(left_out));
  std::sort(order.begin(), order.end());
  std::vector<Observation> kept;
  kept.reserve(order.size());
  for (const size_t index : order) kept.push_back(observations[index]);
  return kept;
}

}  // namespace arb
