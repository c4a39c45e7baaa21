#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>

#include "bench/accept/field.hpp"
#include "collectives/error.hpp"

namespace arb {

namespace {

class CoresField final : public Field {
 public:
  CoresField(const System& system, const std::atomic<bool>& interrupted)
      : system_(system), signal_(interrupted) {
    for (int i = 0; i < system.usable_cores(); ++i) {
      units_.push_back({fmt::format("core {}", system.cpus[static_cast<size_t>(i)]), {i}});
    }
  }

  bool leads() const override { return true; }
  std::string noun() const override { return "core"; }
  std::vector<Unit> units() const override { return units_; }
  std::string follow(const std::string& of_leader) override { return of_leader; }
  bool interrupted() const override { return interrupted_; }

  /// Cores share the memory: alone, one after the other, each shows what it gets of it by itself.
  std::vector<GroupResult> measure(const Round& round, const GroupTask& task) override {
    const size_t n = round.groups.size();
    results_.assign(n, {});
    failures_.assign(n, nullptr);
    interrupted_ = false;
    const Watchdog watchdog(task.limit_seconds * static_cast<double>(n));
    if (round.stage == Stage::kAlone) {
      for (size_t i = 0; i < n && !interrupted_; ++i) measure_one(round, i, 1, task);
    } else {
      std::vector<std::thread> threads;
      for (size_t i = 0; i < n; ++i) {
        threads.emplace_back([this, &round, i, n, &task] { measure_one(round, i, n, task); });
      }
      for (std::thread& thread : threads) thread.join();
    }
    for (const std::exception_ptr& failure : failures_) {
      if (failure) std::rethrow_exception(failure);
    }
    return std::move(results_);
  }

 private:
  void measure_one(const Round& round, size_t index, size_t side_by_side, const GroupTask& task) {
    const std::vector<int>& group = round.groups[index];
    System part = system_;
    part.cpus.clear();
    for (const int unit : group) part.cpus.push_back(system_.cpus[static_cast<size_t>(unit)]);
    part.memory_available_bytes /= side_by_side;
    GroupResult& result = results_[index];
    result.stage = round.stage;
    result.round = round.number;
    result.units = group;
    const auto begin = std::chrono::steady_clock::now();
    try {
      GroupOutcome outcome =
          measure_group(task, nullptr, part, ranks_of(group, units_), signal_, nullptr);
      result.records = std::move(outcome.records);
      result.copy_limit_gbps = outcome.copy_limit_gbps;
      result.error = outcome.error;
      if (outcome.interrupted) interrupted_ = true;
    } catch (const Error& error) {
      failures_[index] = std::make_exception_ptr(
          Error(error.kind(), in_group(round, group, units_) + error.what()));
    } catch (...) {
      failures_[index] = std::current_exception();
    }
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  const System& system_;
  const std::atomic<bool>& signal_;
  std::vector<Unit> units_;
  std::atomic<bool> interrupted_{false};
  std::vector<GroupResult> results_;  // [group]
  std::vector<std::exception_ptr> failures_;
};

}  // namespace

std::unique_ptr<Field> field_of_cores(const System& system, const std::atomic<bool>& interrupted) {
  return std::make_unique<CoresField>(system, interrupted);
}

}  // namespace arb
