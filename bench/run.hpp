// The main job: sweep, check, measure, fit, report.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "bench/watchdog.hpp"
#include "collectives/runners/mpi/world.hpp"

namespace arb {

/// Results to stdout, talk to stderr. Returns the exit code; throws Error for what never began.
/// `interrupted` is raised by a signal handler. `world`: the job, null for a process alone; all its
/// processes call this, its first one writes. `watchdog` may be null.
int run_sweep(const Options& options, const std::vector<std::string>& command,
              const std::atomic<bool>& interrupted, const World* world, Watchdog* watchdog);

}  // namespace arb
