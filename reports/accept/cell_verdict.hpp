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

/// The result of a demand that is not met. unsure: it was measured once, which may have been an
/// accident; `why` then says so.
GateResult not_met(bool unsure, std::string& why);

/// nullopt: nothing is demanded of it. Blame tells what may have been an accident.
std::optional<CellVerdict> judge_cell(const Profile& profile, const Blame& blame,
                                      const MeasuredGroup& subject, const CaseKey& key,
                                      const Cell& cell);

}  // namespace arb
