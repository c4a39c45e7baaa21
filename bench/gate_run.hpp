// run --against REPORT and run --ab PROGRAM: measures in fresh starts of the program, judges, and
// measures what is suspicious again before it says "slower". docs/gates.md.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "bench/watchdog.hpp"
#include "collectives/runners/mpi/world.hpp"

namespace arb {

/// Is a verdict wanted of this run?
bool judges(const Options& options);

/// Verdicts to stdout, talk to stderr. Returns the exit code.
int run_gate(const Options& options, const std::vector<std::string>& command,
             const std::atomic<bool>& interrupted, const World* world, Watchdog* watchdog);

}  // namespace arb
