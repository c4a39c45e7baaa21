// The rows of an acceptance gate.
#pragma once

#include <string>
#include <vector>

#include "reports/accept/blame.hpp"
#include "reports/gate/gate.hpp"

namespace arb {

struct JudgedRow {
  GateRow row;
  Stage stage = Stage::kAlone;
  bool on_times = false;  // not on data, or on who was waited for
  bool covered = false;   // by a culprit among its units
};

/// One per group and demand, stage by stage as measured: its data, each case that something is
/// demanded of, its drift; one per unit alone, one per unit that may be waited for.
std::vector<JudgedRow> rows_of(const Fleet& fleet, const Profile& profile, const Blame& blame);

/// "n07"; of a link "n01 - n02".
std::string culprit_text(const Fleet& fleet, const Culprit& culprit);

/// "all 6 nodes", else as units_text().
std::string group_text(const Fleet& fleet, const MeasuredGroup& subject);

}  // namespace arb
