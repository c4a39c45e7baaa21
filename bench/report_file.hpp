// Reports of earlier runs, read from files.
#pragma once

#include <string>

#include "reports/record.hpp"

namespace arb {

/// Throws Error{kUsage} that names the file and says why it cannot be read, or is no report.
Report read_report_file(const std::string& file);

}  // namespace arb
