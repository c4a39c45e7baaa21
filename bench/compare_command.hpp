// The `compare` verb: reports of two builds, and a verdict for every case.
#pragma once

#include <string>
#include <vector>

#include "bench/options.hpp"

namespace arb {

/// Prints the verdicts and writes the files that were asked for. Returns the exit code; throws
/// Error{kUsage} for reports that cannot be read or compared.
int run_compare(const Options& options, const std::vector<std::string>& command);

}  // namespace arb
