// One measured case of a group, held against all that a profile demands of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/accept/blame.hpp"
#include "reports/gate/gate.hpp"

namespace arb {

struct CellVerdict {
  GateResult result = GateResult::kPass;  // or kUnsure, kFail
  std::string why;                        // of the demands that are the reason for it
  std::vector<GateValue> values;
};

/// What makes a row unsure rather than failed: once may have been an accident.
inline constexpr const char* kOnce = "; measured once: measure it again";

/// nullopt: nothing is demanded of it. Blame tells what may have been an accident.
std::optional<CellVerdict> judge_cell(const Profile& profile, const Blame& blame,
                                      const MeasuredGroup& subject, const CaseKey& key,
                                      const Cell& cell);

}  // namespace arb
