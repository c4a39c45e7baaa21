// The worker threads that drive host ranks. Ranks are not threads: each worker advances the ranks
// that are its own in turn, so that 64 ranks on 2 cores need no context switch.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "collectives/runners/host/barrier.hpp"
#include "collectives/runners/operation.hpp"

namespace arb {

/// A rank that misbehaves, for tests of the program itself.
struct RankFault {
  int stall_rank = kNone;  // stops taking part from `stall_from` on
  long stall_from = 0;     // iteration of an execution
  int delay_rank = kNone;  // is `delay_seconds` late inside every `delay_every`-th iteration
  long delay_every = 1;
  double delay_seconds = 0;
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
  double seconds = 0;     // latest end - latest start over ranks, of the whole batch
  int straggler = kNone;  // the rank that the others waited for, if they waited long
};

class Team {
 public:
  /// Worker w is pinned to cpus[w % cpus.size()] (empty: not pinned). More workers than cpus: they
  /// yield at once.
  Team(int workers, std::vector<int> cpus);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int workers() const { return workers_; }
  /// The ranks [first, last) that a worker drives.
  std::pair<int, int> ranks_of(int worker, int ranks) const;

  void set_fault(const RankFault& fault) { fault_ = fault; }
  void set_deadline(std::optional<std::chrono::steady_clock::time_point> deadline) {
    deadline_ = deadline;
  }
  /// Raised from a signal handler: run() throws once the executions in work are done, or after a
  /// grace.
  void set_interrupt(const std::atomic<bool>* interrupted) { interrupted_ = interrupted; }

  /// Runs the executions one after the other. Throws Error{kTimeLimit} naming every rank's place
  /// when the deadline passes; the team is then of no further use, and neither are the operations.
  std::vector<Sample> run(std::span<const Execution> executions);

  /// The operation that was in work when run() threw, or is in work now; null before the first.
  const Operation* current_operation() const {
    const Execution* execution = current_.load();
    return execution != nullptr ? execution->operation : nullptr;
  }

  /// job(worker) on every worker at once; returns when all are done and rethrows the first
  /// exception.
  void on_all(const std::function<void(int worker)>& job);

 private:
  struct alignas(kCacheLine) WorkerState {
    std::chrono::steady_clock::time_point start, end;
    std::vector<int> pending;
    std::vector<int> waiting, waited_for;  // the ranks of a long wait, and whom each waited for
  };
  struct alignas(kCacheLine) WaitHint {
    long execution = -1;  // in which `rank` was waited for
    int rank = kNone;
    double seconds = 0;  // the longest single wait
  };

  void work(int worker);
  void run_all(int worker, std::span<const Execution> executions, std::vector<Sample>& samples);
  bool execute(int worker, const Execution& execution);
  bool drive(int worker, const Execution& execution, bool delayed);
  void end_long_wait(WorkerState& state, std::chrono::steady_clock::time_point since);
  Sample collect(const Execution& execution);
  int find_straggler(int ranks) const;
  std::string hang_report() const;

  int workers_;
  std::vector<int> cpus_;
  unsigned spins_;
  SpinBarrier barrier_;
  RankFault fault_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  const std::atomic<bool>* interrupted_ = nullptr;

  std::atomic<bool> stop_{false};
  bool halt_ = false;  // no further execution; written by worker 0 between barriers
  std::vector<WorkerState> states_;
  std::vector<WaitHint> hints_;  // [rank]
  long execution_ = 0;           // serial number, advanced by worker 0 between barriers
  std::atomic<const Execution*> current_{nullptr};

  std::mutex mutex_;
  std::condition_variable wake_, finished_;
  const std::function<void(int)>* job_ = nullptr;
  uint64_t job_number_ = 0;
  int working_ = 0;
  bool closing_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace arb
