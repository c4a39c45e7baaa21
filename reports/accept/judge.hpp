// From what a fleet showed to verdicts: demands of the profile, and who is to blame.
#pragma once

#include <string>
#include <utility>
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

/// Pairs worth measuring again before anyone is blamed: bad ones (a pair is only blamed if it was
/// bad at least twice; the better of its measurements counts), each bad unit with a partner that is
/// known to be good, and who has met too few others to be told from its partner. Their results come
/// later in `results`, of the same stage and a later round. Empty once there is nothing left to be
/// learnt, so call it until then.
std::vector<std::pair<int, int>> suspects(const Fleet& fleet, const Profile& profile);

/// Units whose stage `alone` is worth repeating, likewise: one bad measurement blames nobody.
std::vector<int> suspects_alone(const Fleet& fleet, const Profile& profile);

/// Throws std::invalid_argument for a limit that no measured row is within; the message names it
/// and the remedy. Name, context, warnings, findings and rows are filled in; version, time and
/// command are the caller's to say. Findings begin with "FAIL n07: ..." for every culprit.
Gate judge(const Fleet& fleet, const Profile& profile);

}  // namespace arb
