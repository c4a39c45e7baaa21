// The main job: sweep, check, measure, fit, report.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "bench/options.hpp"

namespace arb {

/// Results to stdout, talk to stderr. Returns the exit code; throws Error for what never began.
/// `interrupted` is raised by a signal handler.
int run_sweep(const Options& options, const std::vector<std::string>& command,
              const std::atomic<bool>& interrupted);

}  // namespace arb
