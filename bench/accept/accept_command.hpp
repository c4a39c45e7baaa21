// The `accept` verb: measures a machine or a cluster stage by stage, and judges it by a profile.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "bench/watchdog.hpp"
#include "collectives/runners/mpi/world.hpp"

namespace arb {

/// As run_sweep(): all processes of a job call this, its first one writes. Returns the exit code.
int run_accept(const Options& options, const std::vector<std::string>& command,
               const std::atomic<bool>& interrupted, const World* world, Watchdog* watchdog);

}  // namespace arb
