// Whoever drives ranks together: the threads of one process (Team), or the processes of a job. In a
// job every process makes the same calls in the same order and gets the same results, so that all
// of them decide alike.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/runners/operation.hpp"

namespace arb {

/// A rank that misbehaves, for tests of the program itself.
struct RankFault {
  int stall_rank = kNone;  // stops taking part from `stall_from` on
  long stall_from = 0;     // iteration of an execution
  int delay_rank = kNone;  // is `delay_seconds` late inside every `delay_every`-th iteration
  long delay_every = 1;
  double delay_seconds = 0;
  int slow_rank = kNone;  // its driver holds back the end of every operation
  double slow_share = 0;  // by this share of the time since its start

  bool stalls(int rank, long iteration) const {
    return rank == stall_rank && iteration >= stall_from;
  }
  bool delays(int rank, long iteration) const {
    return rank == delay_rank && delay_every > 0 && iteration % delay_every == delay_every - 1;
  }
  bool slows(int first_rank, int last_rank) const {
    return slow_share > 0 && slow_rank >= first_rank && slow_rank < last_rank;
  }
  /// How long who drives the ranks [first_rank, last_rank) holds back the end of an operation that
  /// has taken `seconds`.
  double held_back_seconds(int first_rank, int last_rank, double seconds) const {
    return slows(first_rank, last_rank) ? slow_share * seconds : 0;
  }
};

/// What may end or disturb the work of a crew.
struct CrewControl {
  std::optional<std::chrono::steady_clock::time_point> deadline;
  const std::atomic<bool>* interrupted = nullptr;  // raised from a signal handler
  RankFault fault;
};

/// One run of an operation by all ranks, which enter it together.
struct Execution {
  Operation* operation = nullptr;
  const RankBuffers* buffers = nullptr;  // [rank]
  int ranks = 1;
  int batch = 1;       // operations back to back, timed as one
  long iteration = 0;  // for fault injection and for naming a hang
  const std::function<void(int worker)>* prepare = nullptr;  // before the start, by every worker
  const std::function<void(int worker)>* inspect =
      nullptr;  // after all ranks are done, by every worker
};

struct Sample {
  double seconds = 0;        // latest end - latest start over ranks, of the whole batch
  int straggler = kNone;     // the rank that the others waited for, if they waited long
  bool common_clock = true;  // false: longest of end - start of a rank, for want of a common clock
};

/// How the seconds of the last run() came about.
struct Timing {
  double clock_error_seconds = 0;  // of clocks that were synchronised; 0: one clock
  double wall_seconds = 0;         // of run() as a whole
};

class Crew {
 public:
  virtual ~Crew() = default;

  /// Workers that share memory: the threads, or the processes on this node. In on_all(), prepare
  /// and inspect each is called once, by its thread or in its process, with its number.
  virtual int workers() const = 0;
  /// The ranks [first, last) that a worker drives.
  virtual std::pair<int, int> ranks_of(int worker, int ranks) const = 0;

  /// Runs the executions one after the other. Throws Error{kTimeLimit} naming every rank's place
  /// when the deadline passes; the crew is then of no further use, and neither are the operations.
  virtual std::vector<Sample> run(std::span<const Execution> executions) = 0;
  virtual Timing timing() const = 0;

  /// job(worker) on every worker at once; returns when those of this process are done and rethrows
  /// the first exception.
  virtual void on_all(const std::function<void(int worker)>& job) = 0;
  /// Called by every worker inside a job: waits for the others. False: stop, the crew is broken.
  virtual bool meet() = 0;

  /// What every process says, own words included; one process: what it said. Not inside a job.
  virtual std::vector<std::string> exchange(const std::string& own) = 0;

  /// After a time limit that was not found in run(), by every process that finds it: where each of
  /// them is, a line each, on rank 0. `own`: what this one waits for. Empty if run() has said it
  /// already, or if there is one process only. The crew is then of no further use.
  virtual std::string roll_call(const std::string& /*own*/) { return ""; }

  /// As all processes saw it at the end of the last run().
  virtual bool interrupted() const = 0;
  virtual bool expired() const = 0;

  /// The operation that was in work when run() threw, or is in work now; null before the first.
  virtual const Operation* current_operation() const = 0;
};

}  // namespace arb
