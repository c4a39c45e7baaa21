// The `tune` verb: what was measured fastest, as files that make Open MPI and NCCL use it.
#pragma once

#include "bench/options.hpp"

namespace arb {

/// Prints what was chosen and how to use it. Returns 0; with --verify 1 if the rules are not used
/// or slow a run down, 3 if results are wrong with them. Throws Error{kUsage} for a report that
/// cannot be read, or that has nothing to tune.
int run_tune(const Options& options);

}  // namespace arb
