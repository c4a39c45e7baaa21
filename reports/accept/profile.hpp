// A profile: what a healthy machine or cluster must show. A JSON file (configs/accept/*.json,
// schema configs/schema/profile.schema.json).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/accept/fleet.hpp"

namespace arb {

/// What a stage measures.
struct StagePlan {
  Stage stage = Stage::kAlone;
  // Options of `run` by their long names without dashes, like a config file: those of
  // profile_options(). In the order of their names.
  std::vector<std::pair<std::string, std::string>> options;
  int64_t rounds = 0;  // pairs: at most so many; 0: all
  double minutes = 0;  // soak: so long
};

/// One demand. What is missing is not demanded.
struct Limit {
  std::optional<Stage> stage;    // missing: every stage but alone (relative: pairs and groups)
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
  std::optional<double> min_copy_of_fleet;  // alone: memory bandwidth beside the fleet's median
  // Of the cases that a unit takes part in with others: those in which they waited for it.
  std::optional<double> max_straggler_share;
  // p95 / median - 1; without a p95 the half-width of the median's interval / median.
  std::optional<double> max_spread;
  std::optional<double> max_drift;  // soak: of the median, from the first quarter to the last
};

inline constexpr int kProfileVersion = 1;

/// What a stage may set of the options of `run`: what is measured and how, not where the output
/// goes nor who takes part.
std::span<const std::string> profile_options();

/// "limits[2]" as people know it: "pairs, from 1 MiB on".
std::string describe(const Limit& limit);

/// Strict: throws std::invalid_argument whose message names the field; an unknown key is refused
/// with the nearest valid one. Numbers without sense (a share above 1) and demands that no stage
/// measures are refused too.
Profile read_profile(std::string_view json);

}  // namespace arb
