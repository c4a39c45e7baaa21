// Whether a change made runs faster, from pairs of runs without and with it.
#pragma once

#include <string_view>
#include <vector>

namespace arb {

enum class Verdict { kFaster, kEqual, kSlower };

std::string_view name(Verdict verdict);  // "faster", "equal", "SLOWER"

struct Effect {
  double ratio = 1;          // median of the pairs; above 1: faster with the change
  double low = 1, high = 1;  // its interval: at least 95 %
  Verdict verdict = Verdict::kEqual;
};

/// With six pairs the smallest and the largest ratio enclose the median with 96.9 %.
inline constexpr int kPairs = 6;

/// A difference below this is no difference, however sure it is.
inline constexpr double kWorthSaying = 0.02;

/// `ratios`: time without / time with, one per pair, at least kPairs. Faster or slower only if the
/// whole interval is on that side of 1, and the median by more than kWorthSaying.
Effect judge(std::vector<double> ratios);

/// Of times of several sizes, pairwise: the geometric mean of without / with.
double mean_ratio(const std::vector<double>& without, const std::vector<double>& with);

}  // namespace arb
