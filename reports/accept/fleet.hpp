// What was measured for acceptance: groups of units of a fleet, stage by stage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/record.hpp"

namespace arb {

/// What can be to blame: a node of a cluster, or a core of this machine.
struct Unit {
  std::string name;        // "n07", "core 3"
  std::vector<int> ranks;  // of the whole fleet, ascending
};

enum class Stage { kAlone, kPairs, kGroups, kAll, kSoak };

/// One group measured once. Ranks in records are those of the group: rank i of the group is the
/// i-th rank of its units, in order.
struct GroupResult {
  Stage stage = Stage::kAlone;
  int64_t round = 0;       // groups of a round were measured side by side
  std::vector<int> units;  // ascending, indices into Fleet::units
  std::vector<Record> records;
  std::optional<double> copy_limit_gbps;  // alone: of the unit's memory
  double started_s = 0, seconds = 0;      // since the start of the acceptance, and how long
  std::string error;                      // why it could not be measured; empty: it was
};

struct Fleet {
  std::string noun;  // of a unit: "node", "core"
  std::vector<Unit> units;
  std::vector<GroupResult> results;  // in order of their end
  std::vector<Stage> unasked;        // stages of the profile that --stages leaves out
  std::vector<Stage> skipped;        // stages without sense for so few units
  bool complete = false;
};

/// "alone", "pairs", "groups", "all", "soak".
std::string_view name(Stage stage);

/// Rounds of pairs in which every unit meets another one each time (circle method): n - 1 rounds
/// for an even n, n for an odd one (one rests), at most `most_rounds` of them (0: all). Every pair
/// comes at most once. Any two rounds that follow each other tie all units together.
std::vector<std::vector<std::pair<int, int>>> pair_rounds(int units, int most_rounds);

/// Sizes of growing groups: 2, 4, 8, ... below n; the groups of one size are disjoint and side by
/// side. Units that do not fill a group sit that size out.
std::vector<std::vector<std::vector<int>>> group_rounds(int units);

}  // namespace arb
