// One group of units measured once, as a sweep of its ranks that says nothing.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "bench/system.hpp"
#include "bench/watchdog.hpp"
#include "collectives/runners/mpi/world.hpp"
#include "reports/record.hpp"
#include "verify/inject.hpp"

namespace arb {

/// What all groups of a stage have in common.
struct GroupTask {
  Options options;  // of a sweep; no ranks: all that the group has
  std::string backend;
  Fault fault;                    // of a rank of the whole fleet
  bool wants_copy_limit = false;  // of the group's memory; processors only
  double limit_seconds = 0;       // of a group; a hang is cut and named
  Watchdog* program = nullptr;    // with the time limit of all; null: there is none
  double program_seconds = 0;     // that limit
};

struct GroupOutcome {
  std::vector<Record> records;  // the leader's
  std::optional<double> copy_limit_gbps;
  bool interrupted = false;
  std::string error;  // found out by all its processes alike; empty: none
};

/// The fault as a group has it whose rank i is rank ranks[i] of the fleet: none if it lacks the
/// rank. Faults of no rank are in every group.
Fault fault_within(const Fault& fault, const std::vector<int>& ranks);

/// `world`: of the group, null for threads of this process; `system`: the part of the machine that
/// it may use; `ranks`: of the fleet. `watchdog` may be null. Collective over the group. Throws
/// Error for what ends everything: a time limit, and what one process alone has found.
GroupOutcome measure_group(const GroupTask& task, const World* world, const System& system,
                           const std::vector<int>& ranks, const std::atomic<bool>& interrupted,
                           Watchdog* watchdog);

}  // namespace arb
