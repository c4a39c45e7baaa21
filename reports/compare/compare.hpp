// Two builds of the same case, measured on the same machine: is the new one slower? Pure: reports
// in, verdicts out. docs/gates.md says how, and how often it is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/gate/gate.hpp"
#include "reports/record.hpp"

namespace arb {

struct DropClass {
  std::optional<int64_t> max_bytes;  // up to and including; nullopt: all above
  double drop = 0.05;                // allowed share of the bandwidth: 0.05 is 0.95 times the old
};

struct CompareRules {
  std::vector<DropClass> max_drop{{std::nullopt, 0.05}};  // ascending, the last without a bound
  double level = 0.01;            // chance of any false "slower" in a whole comparison
  int64_t min_bytes = 0;          // smaller messages are not judged
  std::vector<std::string> only;  // algorithms; empty: all
  bool allow_missing = false;
  bool allow_other_machine = false;
  bool unsure_fails = false;
};

enum class Change { kSame, kFaster, kSlower, kCannotTell, kMissing, kNews, kWrong, kNotJudged };

struct CompareRow {
  Record key;         // identity only: no time, no verdict; of several cases together: bytes 0
  int64_t cases = 1;  // above 1: all sizes of an algorithm together, by the median of their ratios
  std::optional<double> base_median, fresh_median;    // seconds
  std::optional<double> ratio;                        // new time / old time
  std::optional<std::pair<double, double>> interval;  // of it, at the level of the whole comparison
  std::optional<double> at_most;                      // of this row alone, with 95 % confidence
  std::optional<double> limit;                        // of the ratio: 1 / (1 - allowed drop)
  std::optional<double> rank_sum_p;           // one-sided: new is slower; null without raw samples
  int64_t base_starts = 0, fresh_starts = 0;  // of the program, that count for this row
  Change change = Change::kNotJudged;
  std::string why;
};

struct Comparison {
  std::vector<CompareRow> rows;  // in the order of the baseline, then what is new, then aggregates
  std::vector<std::string> warnings;
  std::string spread_from;       // how the spread between starts is known, in words
  std::optional<double> spread;  // typical, a share
};

/// `base`, `fresh`: one report per start of the program, at least one each. Throws
/// std::invalid_argument for what cannot be compared: nothing to judge, a zero or null baseline,
/// another machine. The message names the remedy.
Comparison compare(std::span<const Report> base, std::span<const Report> fresh,
                   const CompareRules& rules);

/// Two starts one right after the other, so that what drifts hits both alike.
struct ReportPair {
  Report base, fresh;
};
/// As compare(), judged by pairs.
Comparison compare_pairs(std::span<const ReportPair> pairs, const CompareRules& rules);

/// Is it worth measuring this row again in fresh starts: does its ratio lie beyond the limit, or
/// may it, without being sure?
bool suspicious(const CompareRow& row);

/// "same", "faster", "slower", "cannot tell", "missing", "new", "wrong data", "not judged".
std::string_view name(Change change);

Gate gate_of(const Comparison& comparison, const CompareRules& rules);

}  // namespace arb
