// From what is known about a ratio to a verdict.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/compare/compare.hpp"

namespace arb {

/// About the log of new time / old time of one row.
struct Evidence {
  CompareRow* row;  // with its limit
  double estimate = 0;
  std::function<double(double log_limit)> p_above;
  std::function<std::pair<double, double>(double tail)> interval;
  int64_t pairs = 0;  // that it rests on; 0: it does not rest on pairs
};

/// Verdicts for one family of rows, with at most `level` chance of any false "slower" among them.
void judge(const std::vector<Evidence>& family, double level);

/// Allowed share of the bandwidth to lose at this size.
double allowed_drop(const CompareRules& rules, int64_t bytes);

/// The largest ratio of times that is allowed.
double time_limit(double drop);

/// "1.31", three decimals where they matter.
std::string ratio_text(double ratio);

}  // namespace arb
