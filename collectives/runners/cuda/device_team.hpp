// The crew of a group of GPUs: one worker, which puts operations on the streams of this process's
// GPUs and waits for them. With several processes everybody runs the same executions, and they
// agree after every one.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collectives/runners/crew.hpp"
#include "collectives/runners/cuda/gpu_world.hpp"
#include "collectives/runners/cuda/graph_cache.hpp"

namespace arb {

class DeviceTeam final : public Crew {
 public:
  /// The world outlives the team.
  DeviceTeam(GpuWorld& world, Launch launch, const CrewControl& control);

  int workers() const override;
  std::pair<int, int> ranks_of(int worker, int ranks) const override;
  std::vector<Sample> run(std::span<const Execution> executions) override;
  Timing timing() const override { return timing_; }
  void on_all(const std::function<void(int worker)>& job) override { job(worker_); }
  bool meet() override;
  std::vector<std::string> exchange(const std::string& own) override;
  bool interrupted() const override;
  bool expired() const override;
  const Operation* current_operation() const override {
    return current_ != nullptr ? current_->operation : nullptr;
  }

 private:
  struct Clock {  // of one GPU
    Event ready, start, stop;
  };
  struct Stopped {};  // this process or another has passed the time limit

  void execute(const Execution& execution, double& seconds);
  void enqueue(const Execution& execution, int times, int stall_rank);
  void open_latches(size_t late_gpu, double late_seconds);
  void latch(size_t index, int which);
  /// Waits until done() says so. Throws Stopped.
  template <class Done>
  void wait_until(const Done& done);
  void finish(DeviceOperation& operation);
  bool out_of_time();
  void sync(bool stopped);
  size_t gpu_of(int rank) const;
  std::vector<Sample> collect(const std::vector<double>& seconds, double wall_seconds);
  [[noreturn]] void give_up(bool between);
  void stop_kernels() noexcept;
  std::string places() const;

  GpuWorld& world_;
  Launch launch_;
  CrewControl control_;
  int worker_ = 0;
  std::vector<Clock> clocks_;  // [local GPU]
  GraphCache graphs_;
  uint64_t ticket_ = 0;
  std::set<uint64_t> used_;  // numbers of operations that have run
  Timing timing_;
  bool interrupted_ = false, expired_ = false;  // of several processes, as they agreed
  bool broken_ = false;
  std::optional<std::chrono::steady_clock::time_point> interrupted_at_;
  const Execution* current_ = nullptr;
};

}  // namespace arb
