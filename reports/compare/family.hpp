// Many cases in one comparison, and one promise for all of them together.
#pragma once

#include <vector>

namespace arb {

/// Holm's step-down procedure: at most `level` chance of any false finding among all of them.
/// Returns the level that each p is held against: a finding is p <= its level. The k-th smallest p
/// that is a finding is held against level / (m - k + 1), the others against that of the first that
/// is none; an interval at that level leaves the same rows beyond the limit.
std::vector<double> holm(const std::vector<double>& p, double level);

}  // namespace arb
