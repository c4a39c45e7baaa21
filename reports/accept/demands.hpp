// What the limits of a profile demand of one case.
#pragma once

#include <optional>
#include <string>

#include "reports/accept/cells.hpp"
#include "reports/accept/profile.hpp"

namespace arb {

/// Is the case within the limit's algorithm, ranks and sizes?
bool covers(const Limit& limit, const CaseKey& key);

/// The strictest ratio of its time to the fleet's median; nullopt: none is demanded.
std::optional<double> allowed_ratio(const Profile& profile, Stage stage, const CaseKey& key);

/// The strictest demand that needs no fleet.
struct Absolute {
  double badness = 0;  // above 1: not met
  std::string words;   // "below the limit of 10 GB/s"
  std::string source;
};
/// `copy_limit`: GB/s, the least of the units of the group.
std::optional<Absolute> absolute_demand(const Profile& profile, Stage stage, const CaseKey& key,
                                        const Cell& cell, std::optional<double> copy_limit);

}  // namespace arb
