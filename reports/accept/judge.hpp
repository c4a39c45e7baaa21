// From what a fleet showed to verdicts: demands of the profile, and who is to blame.
#pragma once

#include <string>
#include <vector>

#include "reports/accept/fleet.hpp"
#include "reports/accept/profile.hpp"
#include "reports/gate/gate.hpp"

namespace arb {

struct Culprit {
  std::vector<int> units;  // one: a unit; two: the link between them
  bool wrong = false;      // corrupts data
  std::string why;  // "3.1x slower than the fleet's median with all 5 partners, 256 MiB ring"
};

/// Whom the pattern of results blames: bad with all its partners is the unit; bad with one is the
/// link.
std::vector<Culprit> blame(const Fleet& fleet, const Profile& profile);

/// Findings begin with "FAIL n07: ..." for every culprit.
Gate judge(const Fleet& fleet, const Profile& profile);

}  // namespace arb
