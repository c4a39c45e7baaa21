// Whether a soak got slower as it went on.
#pragma once

#include <optional>
#include <vector>

#include "reports/accept/cells.hpp"

namespace arb {

struct Drift {
  CaseKey key;
  long long repeats = 0;
  double first = 0, last = 0;   // seconds: median of the first and of the last quarter
  std::optional<double> share;  // last / first - 1; null with too few repeats
};

/// Two a quarter: of one alone a single disturbance would be a drift.
inline constexpr long long kFewestForDrift = 8;

/// Of every case, over the results of a soak in the order of their start.
std::vector<Drift> drifts_of(const MeasuredGroup& soak);

}  // namespace arb
