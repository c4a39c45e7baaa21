// What judging one start against others and judging pairs have in common: from reports to rows that
// wait for their evidence, and their aggregates.
#pragma once

#include <functional>
#include <vector>

#include "reports/compare/judge.hpp"
#include "reports/compare/sift.hpp"
#include "reports/compare/spread.hpp"

namespace arb {

/// A row that statistics must decide.
struct OpenRow {
  size_t index;  // in Comparison::rows
  std::string variant;
  Sifted starts;
  StartTimes times;
};

/// All sizes of one algorithm of a block, or of all its algorithms.
struct Aggregate {
  CompareRow row;
  std::vector<size_t> members;  // indices of open rows, at least three
};

/// Matches and sifts; rows that need no statistics are settled. Checks rules and machines.
std::vector<OpenRow> open_rows(const StartReports& base, const StartReports& fresh,
                               const CompareRules& rules, Sifted (*sift)(const MatchedCase&),
                               Comparison& comparison);

/// One for every algorithm of a block with at least three of the rows that may join, and one for
/// the block if it has several algorithms.
std::vector<Aggregate> aggregates_of(const std::vector<OpenRow>& open,
                                     const std::function<bool(const OpenRow&)>& may_join,
                                     const Comparison& comparison);

/// By start or by pair: the median over the members; missing where fewer than three tell.
std::vector<std::optional<double>> medians_over(
    const Aggregate& aggregate,
    const std::function<std::vector<std::optional<double>>(size_t member)>& values);

/// Rows and aggregates each get half of the level; all, if there are no others.
void judge_both(const std::vector<Evidence>& rows, const std::vector<Evidence>& aggregates,
                double level);

}  // namespace arb
