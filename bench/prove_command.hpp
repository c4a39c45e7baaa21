// The `prove` verb: every schedule asked for, at every rank count, with every number of slots.
#pragma once

#include "bench/options.hpp"

namespace arb {

/// Prints one line per algorithm and finding to stdout. Returns 0 if all is proved that should be,
/// else 3. A number of slots that an algorithm says it cannot use (ring: 1) counts only if it was
/// asked for.
int run_prove(const Options& options);

}  // namespace arb
