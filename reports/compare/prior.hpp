// What the spread of many rows says about that of each of them.
#pragma once

#include <vector>

namespace arb {

/// A variance, and after how many degrees of freedom it is known.
struct Variance {
  double value = 0;
  double freedom = 0;
};

struct TypicalVariance {
  Variance prior;     // of a row about which nothing else is known: its scale, and how sure
  double middle = 0;  // of the rows
};

/// The variance that rows typically have, and how alike they are: worth so many degrees of freedom
/// beside a row's own (Smyth 2004, as in limma: moments of the logarithm). At least one variance;
/// each with freedom above 0.
TypicalVariance typical_variance(const std::vector<Variance>& rows);

/// The two together.
Variance moderated(const Variance& own, const Variance& typical);

/// From the scatter of values around their median; robust (MAD).
double scatter_variance(std::vector<double> values);

double median_of(std::vector<double> values);  // at least one

}  // namespace arb
