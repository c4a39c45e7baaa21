// One case: all algorithms at one size and rank count, checked, warmed up and timed in turn (A B C
// A B C ..., or AAAA BBBB CCCC AAAA ... where caches matter), so that whatever drifts hits all
// alike.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/measure/buffers.hpp"
#include "bench/measure/checking.hpp"
#include "bench/measure/prepared.hpp"
#include "bench/measure/stopping.hpp"
#include "collectives/runners/crew.hpp"
#include "reports/record.hpp"

namespace arb {

/// What the clock behind the samples of a platform can tell apart.
struct SampleClock {
  double shortest_sample_seconds = 100e-9;  // below, several operations make one sample
  double batched_sample_seconds = 2e-6;     // which then takes about this long
  double tick_seconds = 0;                  // 0: that of this machine's clock, measured
};

struct CaseSettings {
  int checks = 1;               // checked executions per kind of data before timing; 0: none at all
  double checked_share = 0.01;  // of the timed executions that are checked too (at least one)
  uint64_t seed = 1;
  Fault fault;
  std::optional<int64_t> iterations;  // exactly that many samples
  std::optional<int64_t> warmup;      // exactly that many
  double precision = 0.02;
  double seconds = 0.15;       // per algorithm
  bool seconds_given = false;  // false: long operations get the time for a few samples all the same
  bool raw = false;
  size_t last_level_bytes = size_t{32} << 20;  // messages that fit are measured with warm caches
  SampleClock clock;
};

/// Results of one algorithm; the caller completes the record.
struct CaseResult {
  std::optional<TimeStats> time;
  Verification verify;
  std::optional<int64_t> straggler;
  std::vector<std::string> flags;
  bool common_clock = true;  // of every sample
  double clock_error_seconds = 0;
};

/// In a job of several processes, all run the same case and come to the same results.
class CaseRun {
 public:
  CaseRun(Crew& crew, const Shape& shape, bool in_place, const CaseBuffers& buffers,
          std::vector<Prepared> algorithms, const CaseSettings& settings);
  ~CaseRun();

  /// Called after every batch of executions with the share of the case that is done (0..1).
  void on_progress(std::function<void(double)> callback) { progress_ = std::move(callback); }

  void check();
  void measure();

  const std::vector<Prepared>& algorithms() const { return algorithms_; }
  /// What is known of algorithm i so far; valid at any time, also after an exception.
  CaseResult result(size_t i) const;

 private:
  struct Contestant;

  void fill();
  void check_one(size_t i, DataKind kind, uint64_t seed, bool fill_inputs);
  void round(const std::vector<size_t>& who, int64_t rounds, bool timed);
  std::vector<size_t> open(bool timed) const;
  int64_t rounds_for(const std::vector<size_t>& who) const;
  bool choose_check(bool timed);
  /// Of a hang, the error names the algorithm.
  std::vector<Sample> execute(std::span<const Execution> executions);
  std::unique_ptr<CheckedRun> timed_check(size_t i, size_t set);
  bool leaves_caches_warm() const;
  void note(Contestant& contestant, const Verdict& verdict, bool timed);
  void start_measuring();
  double share_done(bool timed) const;

  Crew& crew_;
  Shape shape_;
  bool in_place_;
  const CaseBuffers& buffers_;
  std::vector<Prepared> algorithms_;
  CaseSettings settings_;
  std::vector<std::unique_ptr<Contestant>> contestants_;
  std::function<void(double)> progress_;
  long iteration_ = 0;
  uint64_t next_seed_;
};

}  // namespace arb
