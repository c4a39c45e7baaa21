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

#include "collectives/runners/crew.hpp"
#include "collectives/runners/host/barrier.hpp"
#include "collectives/runners/straggler.hpp"

namespace arb {

class Team final : public Crew {
 public:
  /// Worker w is pinned to cpus[w % cpus.size()] (empty: not pinned). More workers than cpus: they
  /// yield at once.
  Team(int workers, std::vector<int> cpus);
  ~Team() override;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int workers() const override { return workers_; }
  std::pair<int, int> ranks_of(int worker, int ranks) const override;

  void set_fault(const RankFault& fault) { fault_ = fault; }
  void set_deadline(std::optional<std::chrono::steady_clock::time_point> deadline) {
    deadline_ = deadline;
  }
  /// Raised from a signal handler: run() throws once the executions in work are done, or after a
  /// grace.
  void set_interrupt(const std::atomic<bool>* interrupted) { interrupted_ = interrupted; }

  std::vector<Sample> run(std::span<const Execution> executions) override;
  Timing timing() const override { return timing_; }
  void on_all(const std::function<void(int worker)>& job) override;
  bool meet() override { return barrier_.arrive_and_wait(stop_, spins_); }
  std::vector<std::string> exchange(const std::string& own) override { return {own}; }
  bool interrupted() const override { return interrupted_ != nullptr && *interrupted_; }
  bool expired() const override {
    return deadline_ && std::chrono::steady_clock::now() > *deadline_;
  }
  const Operation* current_operation() const override {
    const Execution* execution = current_.load();
    return execution != nullptr ? execution->operation : nullptr;
  }

 private:
  struct alignas(kCacheLine) WorkerState {
    std::chrono::steady_clock::time_point start, end;
    std::vector<int> pending;
    std::vector<int> waiting, waited_for;  // the ranks of a long wait, and whom each waited for
  };
  struct alignas(kCacheLine) WaitHint {
    long execution = -1;  // that the wait belongs to
    Wait wait;
  };

  void work(int worker);
  void run_all(int worker, std::span<const Execution> executions, std::vector<Sample>& samples);
  bool execute(int worker, const Execution& execution);
  bool drive(int worker, const Execution& execution, bool first_of_batch);
  void end_long_wait(WorkerState& state, std::chrono::steady_clock::time_point since);
  Sample collect(const Execution& execution);
  int straggler(int ranks) const;
  std::string hang_report() const;

  int workers_;
  std::vector<int> cpus_;
  unsigned spins_;
  SpinBarrier barrier_;
  RankFault fault_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  const std::atomic<bool>* interrupted_ = nullptr;

  Timing timing_;

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
