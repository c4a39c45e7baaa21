// Which rows of two builds are the same case, and which of them can be judged at all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/blocks.hpp"
#include "reports/compare/compare.hpp"

namespace arb {

using StartReports = std::vector<const Report*>;  // of the program, of one build

struct MatchedCase {
  Record key;                     // identity only
  std::string variant;            // algorithm, with its protocol where a report has several
  Records base, fresh;            // by start; nullptr: not measured there
  std::optional<Change> settled;  // without any statistics
  std::string why;
};

/// In the order of the baseline, then what is new. Throws std::invalid_argument if there is nothing
/// to judge, or a median that is none.
std::vector<MatchedCase> match(const StartReports& base, const StartReports& fresh,
                               const CompareRules& rules, std::vector<std::string>& warnings);

}  // namespace arb
