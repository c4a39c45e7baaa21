// Tests that know ranks only: whatever the distribution, and however wild its tails.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace arb {

/// Mann-Whitney: the chance of samples of `fresh` as large as these, if they came from where those
/// of `base` come from. One-sided, ties corrected for, by the normal approximation. Missing without
/// samples on both sides.
std::optional<double> rank_sum_p(const std::vector<double>& base, const std::vector<double>& fresh);

/// P(W >= w) of Wilcoxon's signed-rank statistic of n differences around zero; exact.
double signed_rank_tail(int64_t n, int64_t w);

/// The averages of all pairs of differences, each with itself too. How many lie above a value is
/// the signed-rank statistic against it, so that test and interval always agree. Ties and averages
/// right at the value count against a finding.
class WalshAverages {
 public:
  explicit WalshAverages(const std::vector<double>& differences);  // at least one

  int64_t pairs() const { return pairs_; }
  double median() const;  // Hodges and Lehmann's estimate

  /// One-sided: the chance of so many averages above `value`, if the differences lie around it.
  double p_above(double value) const;

  /// With `tail` on either side; infinite where there are too few pairs for it.
  std::pair<double, double> interval(double tail) const;

 private:
  int64_t pairs_;
  std::vector<double> sorted_;
};

/// The fewest pairs that can show anything at this chance of error.
int64_t pairs_needed(double tail);

}  // namespace arb
