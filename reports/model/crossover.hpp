// Where one algorithm overtakes another: from the measured medians, and from the fitted lines.
#pragma once

#include <string>
#include <vector>

#include "reports/model/fit.hpp"
#include "reports/model/point.hpp"
#include "reports/record.hpp"

namespace arb {

struct Contender {
  std::string algorithm;
  Series points;
  FitResult fitted;
};

// Both functions fill from, to, method, bytes, ci95 and resolved; the other names are left to the
// caller. None where nobody overtakes, or where it would happen outside the sizes that both have.

// Medians, on the sizes both have, straight lines in between (as in the model: exact where it
// holds). A change is resolved if the intervals of the two medians are disjoint before and after
// it; its interval is the range where they overlap. Resolved changes are reported one by one.
// Without any, medians that change order all the same give one entry that is not resolved; its
// bytes are null if they change order more than once.
std::vector<Crossover> measured_crossovers(const Contender& first, const Contender& second);

// Intersections of the fitted lines, with Fieller's 95 % interval: all sizes at which the two lines
// are not told apart. Not resolved if that interval has no upper end or reaches down to 0.
std::vector<Crossover> fitted_crossovers(const Contender& first, const Contender& second);

}  // namespace arb
