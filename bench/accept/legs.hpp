// From a profile and the command line to what is measured.
#pragma once

#include <vector>

#include "bench/accept/course.hpp"
#include "bench/options.hpp"
#include "reports/accept/profile.hpp"

namespace arb {

/// The stages that were asked for, in the order of the profile, all with the same backend. Throws
/// Error{kUsage} for a stage the profile lacks, for options that `run` would refuse and for a soak
/// that is to be longer but is none; Error{kEnvironment} for a backend that is not there.
/// Collective.
std::vector<Leg> legs_of(const Profile& profile, const Options& options, const World* world);

}  // namespace arb
