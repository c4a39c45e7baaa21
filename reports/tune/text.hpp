// The choices of a tuning as a table for people.
#pragma once

#include <string>

#include "reports/tune/choose.hpp"

namespace arb {

/// One row per range, then what was left out.
std::string tuning_table(const Tuning& tuning, const Library& library);

/// "x1.70" or "x1.20 to x2.10"
std::string speedups(const TunedRange& range);

/// "64 KiB" or "64 KiB to 4 MiB"
std::string span_text(const TunedRange& range);

}  // namespace arb
