// Were the reports taken on one machine, under the same conditions?
#pragma once

#include <string>
#include <vector>

#include "reports/compare/match.hpp"

namespace arb {

/// Throws std::invalid_argument for another machine, unless `allow_other`. Adds a warning for
/// everything else that may make a difference: versions, settings, a report that is not complete.
void check_machines(const StartReports& base, const StartReports& fresh, bool allow_other,
                    std::vector<std::string>& warnings);

}  // namespace arb
