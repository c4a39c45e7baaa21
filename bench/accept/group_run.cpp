#include "bench/accept/group_run.hpp"

#include <algorithm>
#include <utility>

#include "bench/measure/limits.hpp"
#include "bench/records.hpp"
#include "bench/set_up.hpp"
#include "bench/sweep_run.hpp"
#include "collectives/error.hpp"
#include "collectives/runners/host/team.hpp"

namespace arb {
namespace {

using Clock = std::chrono::steady_clock;

bool has_rank(FaultKind kind) {
  return kind != FaultKind::kNothing && kind != FaultKind::kSwapChunks &&
         kind != FaultKind::kDoubleRank && kind != FaultKind::kStale;
}

/// By threads of the leader on all cores of the group, while its other processes sleep.
double measure_copy_limit(const System& system, const CrewControl& control) {
  Team team(system.usable_cores(), system.cpus);
  team.set_deadline(control.deadline);
  const size_t array = limit_array_bytes(host_facts(system, 1).last_level_bytes,
                                         system.usable_memory_bytes(), team.workers());
  return measure_memory_limits(team, array).copy_gbps;
}

}  // namespace

Fault fault_within(const Fault& fault, const std::vector<int>& ranks) {
  if (!has_rank(fault.kind)) return fault;
  const auto at = std::find(ranks.begin(), ranks.end(), fault.rank);
  if (at == ranks.end()) return {};
  Fault here = fault;
  here.rank = static_cast<int>(at - ranks.begin());
  return here;
}

GroupOutcome measure_group(const GroupTask& task, const World* world, const System& system,
                           const std::vector<int>& ranks, const std::atomic<bool>& interrupted,
                           Watchdog* watchdog) {
  const Fault fault = fault_within(task.fault, ranks);
  CrewControl control = control_of(fault, interrupted);
  Options options = task.options;
  options.timeout_seconds = task.limit_seconds;
  control.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(task.limit_seconds));
  if (task.program != nullptr && task.program->deadline() < *control.deadline) {
    options.timeout_seconds = task.program_seconds;
    control.deadline = task.program->deadline();
  }
  GroupOutcome outcome;
  try {
    if (options.ranks.empty() && task.backend == "host") {
      options.ranks = {static_cast<int>(ranks.size())};
    }
    const auto platform = make_platform(task.backend, world, options, system, control);
    if (options.ranks.empty()) options.ranks = {platform->rank_counts().back()};
    const Asked asked(watchdog, *platform);
    const Asked also(world != nullptr ? task.program : nullptr, *platform);
    if (task.wants_copy_limit && task.backend != "cuda") {
      if (platform->leads()) outcome.copy_limit_gbps = measure_copy_limit(system, control);
      platform->follow("");
    }
    Report report = Sweep(options, {}, system, *platform, fault, control).measure();
    outcome.records = std::move(report.records);
    outcome.interrupted = !report.complete;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kTimeLimit || error.kind() == ErrorKind::kInternal) throw;
    outcome.error = error.what();
  }
  return outcome;
}

}  // namespace arb
