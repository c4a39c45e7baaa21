// The crew of a job: one process drives one rank. All processes run the same executions; what they
// measured is put together at the end of every batch, so that nothing but the operation itself is
// between two time stamps.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "collectives/runners/crew.hpp"
#include "collectives/runners/locality.hpp"
#include "collectives/runners/mpi/arena.hpp"
#include "collectives/runners/mpi/clock.hpp"
#include "collectives/runners/straggler.hpp"

namespace arb {

class ProcessTeam final : public Crew {
 public:
  /// Everything outlives the team. arena: of the near ranks.
  ProcessTeam(const Communicator& comm, const Locality& locality, Arena& arena, ClockSync& clock,
              const Waiting& waiting);

  void set_fault(const RankFault& fault) { fault_ = fault; }
  /// Raised from a signal handler, in any of the processes.
  void set_interrupt(const std::atomic<bool>* interrupted) { interrupt_ = interrupted; }

  int workers() const override { return static_cast<int>(locality_.near.size()); }
  std::pair<int, int> ranks_of(int worker, int ranks) const override;
  std::vector<Sample> run(std::span<const Execution> executions) override;
  Timing timing() const override { return timing_; }
  void on_all(const std::function<void(int worker)>& job) override;
  bool meet() override;
  std::vector<std::string> exchange(const std::string& own) override;
  std::string roll_call(const std::string& own) override;
  bool interrupted() const override { return interrupted_; }
  bool expired() const override { return expired_; }
  const Operation* current_operation() const override {
    const Execution* execution = current_.load();
    return execution != nullptr ? execution->operation : nullptr;
  }

  /// Where this process stands, for a report of its own: read by another thread while the process
  /// hangs, or by itself.
  std::string where() const;

 private:
  struct LongWait {
    size_t execution = 0;
    Wait wait;
  };

  void execute(size_t index, const Execution& execution);
  void drive(const Execution& execution, size_t index, bool first_of_batch);
  void note_wait(size_t index, const Wait& wait, double at_least_seconds);
  std::vector<Sample> collect(std::span<const Execution> executions, double wall_seconds);
  void find_stragglers(std::vector<Sample>& samples);
  bool everybody_meets();
  bool start_together();
  void keep_clock();
  [[noreturn]] void give_up();
  std::string gather_places(const std::string& own, std::chrono::milliseconds patience);

  const Communicator& comm_;
  const Locality& locality_;
  Arena& arena_;
  ClockSync& clock_;
  const Waiting& waiting_;
  int rank_;
  int ranks_;
  int worker_;  // our number among the near ranks
  RankFault fault_;
  const std::atomic<bool>* interrupt_ = nullptr;
  bool interrupted_ = false, expired_ = false, broken_ = false;
  Timing timing_;
  double clock_measured_ = 0;    // when, on this node's clock
  bool clock_old_ = true;        // as rank 0 saw it
  double agreeing_seconds_ = 0;  // from the latest arrival until this rank knew of it, last time
  double start_margin_ = 0;      // the same on all ranks
  std::atomic<const Execution*> current_{nullptr};
  std::string given_up_at_;  // where(), since what it asks may be gone
  std::atomic<bool> given_up_{false};
  std::vector<double> start_, end_;   // [execution], node seconds
  std::vector<LongWait> long_waits_;  // of this rank
};

}  // namespace arb
