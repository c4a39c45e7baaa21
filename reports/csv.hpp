#pragma once

#include <string>

#include "reports/record.hpp"

namespace arb {

/// One line of names, then one line per record. Names are those of the JSON document, with dots for
/// what is nested
/// ("time_s.median", "time_s.ci95.low"); a missing value is an empty field. Quoting as in RFC 4180,
/// lines end in \n. Lists are joined by ";"; raw samples are left to the JSON document.
std::string write_csv(const Report& report);

}  // namespace arb
