// From the command line of a gate to those of the sweeps that it starts.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/compare/compare.hpp"

namespace arb {

/// What `command` says of the sweep: without the program, the verb, the options of the gate and
/// those of outputs.
std::vector<std::string> sweep_words(const std::vector<std::string>& command);

/// Rank counts and requested sizes to measure again: whole cases, since an algorithm is measured
/// beside the others. Empty: nothing is suspicious.
struct Again {
  std::set<int64_t> ranks;
  std::set<int64_t> sizes;  // requested bytes

  bool empty() const { return ranks.empty(); }
  bool has(const Record& record) const {
    return ranks.contains(record.ranks) && sizes.contains(record.requested_bytes);
  }
  std::vector<std::string> words() const;  // options of run
  std::string text() const;                // "8 B, 1 KiB at 2 ranks"
};
Again suspicious_cases(const Comparison& comparison);

/// Only these cases.
Report only(const Report& report, const Again& again);

/// `first`, with what `second` found of its suspicious rows in their place. What was measured again
/// only because it stands beside them gets no second chance to be called slower; wrong data of
/// either stays.
Comparison confirmed(Comparison first, const Comparison& second);

}  // namespace arb
