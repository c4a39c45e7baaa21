#pragma once

#include <string>

#include "reports/record.hpp"

namespace arb {

/// The result in words: which algorithm to use where, what the machine's alpha and beta are,
/// whether all was correct, and a warning with its remedy for all that weakens the result. What is
/// not resolved is called so.
std::string write_summary(const Report& report);

/// The last part of it: "All 240 results correct." or what is not, and the warnings.
std::string correctness_text(const Report& report);
std::string warnings_text(const Report& report);

}  // namespace arb
