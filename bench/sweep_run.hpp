// A sweep on one platform: plan, and case by case check, measure, record and write.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/busy_watch.hpp"
#include "bench/measure/case_run.hpp"
#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "bench/platform.hpp"
#include "bench/progress.hpp"
#include "bench/report_sink.hpp"
#include "bench/system.hpp"

namespace arb {

/// In a job every process runs the same sweep. What is passed outlives it.
class Sweep {
 public:
  Sweep(const Options& options, const std::vector<std::string>& command, const System& system,
        Platform& platform, const Fault& fault, const CrewControl& control);

  /// Returns the exit code; throws Error after the report has been written.
  int run();

  /// The same for others to write and to judge: says nothing, leaves the machine unexamined and
  /// the model unfitted. The leader gets the records; if interrupted, those of what was done.
  Report measure();

 private:
  using Handoffs = std::optional<std::pair<double, double>>;  // before and after a case

  size_t longest_name() const;
  std::vector<Case> cases();
  uint64_t runner_bytes(int ranks, uint64_t bytes, bool in_place) const;
  void examine();
  void run_case(const Case& planned, Progress& progress, double done, double share);
  Record blank(const Case& planned, const std::string& algorithm) const;
  void add_skipped(const Case& planned, const std::string& algorithm, const std::string& reason);
  void add_results(const Case& planned, const CaseRun& run, const Handoffs& handoffs,
                   Status unfinished, const std::string& reason);
  bool busy() const { return busy_watch_ ? busy_watch_->busy() : busy_; }
  CaseSettings settings() const;
  bool enter(int ranks);
  bool told_to_end() const;
  std::string time_limit_reached() const;
  void run_cases(const std::vector<Case>& cases);
  int finish(int code);

  const Options& options_;
  const System& system_;
  Platform& platform_;
  std::vector<std::string> algorithms_;
  std::optional<ReportSink> sink_;  // of run()
  std::optional<Progress> progress_;
  Report report_;
  Fault fault_;
  const CrewControl& control_;
  bool busy_ = false;                    // at the start
  std::optional<BusyWatch> busy_watch_;  // where the ranks are threads of this process
  double case_seconds_ = 0;
  std::map<int, std::unique_ptr<Preparer>> preparers_;  // by ranks: they keep proofs
};

}  // namespace arb
