// A profile: what a healthy machine or cluster must show. A JSON file (configs/accept/*.json,
// schema configs/schema/profile.schema.json).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/accept/fleet.hpp"

namespace arb {

/// What a stage measures.
struct StagePlan {
  Stage stage = Stage::kAlone;
  // Options of `run` by their long names without dashes, like a config file: "sizes",
  // "algorithms", "max-time", ... In the order of the file.
  std::vector<std::pair<std::string, std::string>> options;
  int64_t rounds = 0;  // pairs: at most so many; 0: all
  double minutes = 0;  // soak: so long
};

/// One demand. What is missing is not demanded.
struct Limit {
  std::optional<Stage> stage;    // missing: every stage but alone
  std::string algorithm;         // empty: the fastest of those measured
  std::optional<int64_t> ranks;  // missing: any number
  int64_t min_bytes = 0;
  std::optional<int64_t> max_bytes;
  std::optional<double> min_busbw_gbps;
  std::optional<double> min_busbw_of_limit;  // share of the unit's copy limit
  std::optional<double> min_busbw_of_fleet;  // share of the fleet's median
  std::optional<double> max_time_s;
  std::optional<double> max_time_of_fleet;  // ratio to the fleet's median
  std::string source;                       // where the number comes from
};

struct Profile {
  std::string name, description, source;
  std::string backend = "auto";
  std::vector<StagePlan> stages;
  std::vector<Limit> limits;
  std::optional<double> min_copy_of_fleet;    // alone: memory bandwidth beside the fleet's median
  std::optional<double> max_straggler_share;  // of the slow samples that wait for one rank
  std::optional<double> max_spread;  // half-width of the median's interval, or p95 / median - 1
  std::optional<double> max_drift;   // soak: of the median, from the first quarter to the last
};

/// Strict: throws std::invalid_argument whose message names the field; an unknown key is refused
/// with the nearest valid one.
Profile read_profile(std::string_view json);

}  // namespace arb
