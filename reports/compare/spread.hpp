// How much the median of a case differs from start to start of the program: more than samples
// within a start tell, and the cause of false alarms. So starts are what is counted, not samples.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace arb {

/// Of one case: log of its median, by start; nullopt: does not count.
struct StartTimes {
  std::vector<std::optional<double>> base, fresh;
};

struct SpreadRow {
  StartTimes times;    // at least one that counts on each side
  double within = 0;   // standard deviation of the difference, as samples within starts tell it
  bool alone = false;  // too few samples to be like other rows: their spread says nothing about it
  int alike = 0;       // rows with the same number have a similar spread
};

/// New minus old, and how well it is known.
struct Difference {
  double value = 0;
  double between = 0;  // standard error, from starts
  double freedom = 0;  // of `between`; 0: not known
  double within = 0;   // standard error, from samples

  bool known() const { return freedom > 0; }
  /// One-sided: the chance to see this, were the truth at `limit`.
  double p_above(double limit) const;
  /// With `tail` on either side.
  std::pair<double, double> interval(double tail) const;
};

struct Spread {
  std::vector<Difference> rows;   // of the rows given, in their order
  std::optional<double> typical;  // of one start, a share
  std::string from;               // how it is known, in words
  bool repeated = false;          // from starts that were repeated, not guessed
};

/// A row's variance between starts is its own, shrunk towards what similar rows have; to it comes
/// what all rows of a start have in common. Docs: docs/gates.md.
Spread spread_of(const std::vector<SpreadRow>& rows);

double mean_of(const std::vector<std::optional<double>>& values);  // of those that are there
double count_of(const std::vector<std::optional<double>>& values);

}  // namespace arb
