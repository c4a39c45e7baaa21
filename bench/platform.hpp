// Where the ranks of a sweep come from: threads of this process, the processes of a job, or GPUs.
// In a job every process runs the same sweep; the leader decides, and writes the results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/case_run.hpp"
#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "bench/system.hpp"
#include "collectives/runners/crew.hpp"
#include "collectives/runners/mpi/world.hpp"
#include "collectives/runners/runner.hpp"
#include "reports/record.hpp"
#include "verify/buffer_tools.hpp"

namespace arb {

class Platform {
 public:
  virtual ~Platform() = default;

  virtual std::string backend() const = 0;
  virtual bool leads() const = 0;

  /// Those that were asked for, or else what suits the platform.
  virtual std::vector<int> rank_counts() const = 0;
  virtual SlotChooser slot_chooser(int ranks) const = 0;
  /// That buffers may take on every machine of the platform.
  virtual uint64_t memory_bytes() const = 0;
  /// Of `ranks` ranks, the most that live in the memory of one machine.
  virtual int ranks_in_memory(int ranks) const = 0;
  /// Messages beyond it come from memory: of a processor or a GPU. The same in all processes.
  virtual uint64_t last_level_bytes() const = 0;
  virtual bool oversubscribed(int ranks) const = 0;
  virtual std::vector<Node> nodes(int ranks) const = 0;

  /// Makes crew and runner for `ranks` ranks; false: this process has no part in them. Collective.
  virtual bool enter(int ranks) = 0;
  virtual Crew& crew() = 0;
  virtual Runner& runner() = 0;

  /// For the memory of the ranks since enter().
  virtual const BufferTools& buffer_tools() { return host_buffer_tools(); }
  virtual SampleClock sample_clock() const { return {}; }

  /// Seconds that a cache line takes from worker to worker of the crew; nullopt: it would say
  /// nothing here.
  virtual std::optional<double> handoff() { return std::nullopt; }

  /// What the leader says, in all processes; who has nothing to do waits without taking a core.
  virtual std::string follow(const std::string& of_leader) = 0;

  /// Where this process stands, in words, for a program that hangs; may be called by any thread.
  virtual std::string where() = 0;

  /// Adds what only the platform knows (measured limits, nodes). Called by the leader.
  virtual void describe(Environment& environment) = 0;

  /// The state of what the ranks run on is watched from begin_watch() on, by looks between batches;
  /// annotate() adds it, and all that only the platform knows, to a result of the case.
  virtual void begin_watch() {}
  virtual void look() {}
  virtual void annotate(Record& /*record*/) {}
};

/// Threads of this process.
std::unique_ptr<Platform> host_platform(const Options& options, const System& system,
                                        const CrewControl& control);

/// The GPUs of this machine, all in this process, or some in each process of `world` (null: alone),
/// which may be on several nodes.
/// Throws Error as settle_room() does, and for processes that would share a GPU. Collective.
std::unique_ptr<Platform> cuda_platform(const World* world, const Options& options,
                                        const System& system, const CrewControl& control);

/// The processes of a job. Slots are cut for the caches in `system`, which must be the same in all
/// of them.
std::unique_ptr<Platform> mpi_platform(const World& world, const Options& options,
                                       const System& system, const CrewControl& control);

}  // namespace arb
