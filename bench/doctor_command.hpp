#pragma once

#include "bench/options.hpp"

namespace arb {

/// Examines the machine, measures its memory limits, prints what was found. Returns 0.
int run_doctor(const Options& options);

}  // namespace arb
