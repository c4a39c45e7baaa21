// Who corrupts data, from which groups have wrong results.
#pragma once

#include <string>
#include <vector>

#include "reports/accept/cells.hpp"
#include "reports/accept/judge.hpp"

namespace arb {

/// The wrong data of all results of a group; empty if there is none. "12 wrong elements; first:
/// ring 1 MiB, element 7 of n03 (rank 1) is 3.5, wanted 3 (exact)". With a time in a soak.
std::string wrong_data(const Fleet& fleet, const MeasuredGroup& subject);

/// Blamed is the unit that most of the wrong groups have in common, then the one whose ranks hold
/// the wrong elements, then the one with the fewest right groups; if these are two of a pair, both.
std::vector<Culprit> wrong_culprits(const Fleet& fleet, const std::vector<MeasuredGroup>& subjects);

}  // namespace arb
