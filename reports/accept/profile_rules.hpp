// What a demand of a profile needs to be judged at all.
#pragma once

#include <string>

#include "reports/accept/profile.hpp"

namespace arb {

/// Does the limit hold in this stage, for what is compared with the fleet, or for the rest?
bool holds_in(const Limit& limit, Stage stage);
bool relative_holds_in(const Limit& limit, Stage stage);

/// Is anything demanded beside the rest of the fleet?
bool is_relative(const Limit& limit);
/// Is anything demanded by itself?
bool is_absolute(const Limit& limit);

const StagePlan* plan_of(const Profile& profile, Stage stage);

/// Why the limit demands nothing in the stages of the profile, with the remedy; empty: it does.
std::string without_effect(const Limit& limit, const Profile& profile);
/// The same for the demands that are not limits.
std::string without_effect(const Profile& profile);

}  // namespace arb
