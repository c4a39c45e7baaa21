// The state of the machine while a case was measured: the time a cache line takes from core to
// core. A hypervisor that moves cores together or apart changes it threefold, and with it every
// time of host ranks; what was measured in two states says nothing about two builds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/blocks.hpp"

namespace arb {

/// Of one case, by start of the program.
struct StateChoice {
  std::vector<bool> base, fresh;  // measured in the state that was chosen
  std::string why;                // there is no start in it on a side: what to say and what to do
};

/// Chooses the state that most starts of both sides were in; nullptr: not measured in that start. A
/// start was in it if its hand-off before and after the case lie within a factor 1.2 of it, and of
/// each other. StartReports without hand-offs always count.
StateChoice choose_state(const Records& base, const Records& fresh);

/// Were both measured in the same state, all along? True without hand-offs.
bool same_state(const Record& first, const Record& second);

}  // namespace arb
