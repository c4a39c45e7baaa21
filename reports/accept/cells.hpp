// What was measured of each group, ready to be compared: all its results together, case by case.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/accept/fleet.hpp"

namespace arb {

/// What is alike in this is compared.
struct CaseKey {
  int64_t bytes = 0;
  std::string algorithm;  // empty: the fastest of those measured
  int64_t ranks = 0;
  std::string kind;  // "all-reduce, float32 sum, out of place, hot"
  auto operator<=>(const CaseKey&) const = default;
};

struct Cell {
  double seconds = 0;           // best of all results; in a soak their median
  std::optional<double> busbw;  // GB/s, at that time
  std::optional<double> spread;
  std::string algorithm;
  int measured = 0;  // results that have it
};

/// The same units in the same stage.
struct MeasuredGroup {
  Stage stage = Stage::kAlone;
  int64_t round = 0;       // the first one
  std::vector<int> units;  // ascending
  std::vector<const GroupResult*> results;
  std::map<CaseKey, Cell> cells;
  std::optional<double> copy_limit;  // GB/s, best
  int copies = 0;                    // results that have it
  std::string error;                 // if no result could be measured: the last error
};

/// In the order of their first results.
std::vector<MeasuredGroup> subjects_of(const Fleet& fleet);

/// The unit that holds this rank of a group; -1 if there is none.
int unit_of_rank(const Fleet& fleet, const std::vector<int>& units, int64_t rank);

/// "n03", "n03 + n07", "n00 .. n03".
std::string units_text(const Fleet& fleet, const std::vector<int>& units);

/// "ring 1 MiB", "fastest 1 MiB"; with its kind if `kinds` are several.
std::string case_text(const CaseKey& key, bool kinds);

/// p95 / median - 1; without a p95 the half-width of the median's interval / median.
std::optional<double> spread_of(const TimeStats& time);

std::string kind_of(const Record& record);

}  // namespace arb
