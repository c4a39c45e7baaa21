#pragma once

#include <string>

#include "reports/record.hpp"

namespace arb {

/// The columns of nccl-tests 2.19, one table per algorithm and number of ranks, out of place and in
/// place side by side. Where it differs: the time is our median; #wrong is printed whole; what was
/// not measured is N/A (as is the average of one rank, where there is no bus); what could not run
/// is a comment line with its reason.
std::string write_nccl_tests(const Report& report);

}  // namespace arb
