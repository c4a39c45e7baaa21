// The units of a fleet, and where groups of them are measured side by side: nodes of a job, or
// cores of this machine. In a job all processes make the same calls, and the first one decides.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "bench/accept/group_run.hpp"
#include "bench/system.hpp"
#include "collectives/runners/mpi/world.hpp"
#include "reports/accept/fleet.hpp"

namespace arb {

/// One round: groups that share no unit.
struct Round {
  Stage stage = Stage::kAlone;
  int64_t number = 0;
  std::vector<std::vector<int>> groups;  // of units, ascending
};

class Field {
 public:
  virtual ~Field() = default;

  virtual bool leads() const = 0;
  virtual std::string noun() const = 0;
  virtual std::vector<Unit> units() const = 0;

  /// What the leader says. Collective; who waits takes no core.
  virtual std::string follow(const std::string& of_leader) = 0;

  /// In the order of the groups, without times of their start; empty but for the leader. An
  /// interrupted group has what was done. Collective. Throws Error for what ends everything; it
  /// names the group.
  virtual std::vector<GroupResult> measure(const Round& round, const GroupTask& task) = 0;

  /// Was a group of the last round interrupted? The same for all.
  virtual bool interrupted() const = 0;
};

/// "pairs, round 2: n03 with n04": of a group, for messages.
std::string describe(const Round& round, const std::vector<int>& group,
                     const std::vector<Unit>& units);

/// "pairs, round 2: n03 with n04 (rank 0: n03, rank 1: n04): ": before what a group found out.
std::string in_group(const Round& round, const std::vector<int>& group,
                     const std::vector<Unit>& units);

/// The ranks of the fleet in a group, as its ranks are numbered.
std::vector<int> ranks_of(const std::vector<int>& group, const std::vector<Unit>& units);

/// Cores that this process may use. What is passed outlives it.
std::unique_ptr<Field> field_of_cores(const System& system, const std::atomic<bool>& interrupted);

/// Nodes; `world` null: this machine is the only one. `options`: of any stage, they decide how many
/// ranks a process has.
std::unique_ptr<Field> field_of_nodes(const World* world, const GroupTask& task,
                                      const System& system, const std::atomic<bool>& interrupted);

}  // namespace arb
