#include "bench/run.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <span>
#include <utility>

#include "bench/build_info.hpp"
#include "bench/doctor.hpp"
#include "bench/environment.hpp"
#include "bench/known_algorithms.hpp"
#include "bench/measure/case_run.hpp"
#include "bench/measure/limits.hpp"
#include "bench/plan.hpp"
#include "bench/progress.hpp"
#include "bench/records.hpp"
#include "bench/report_sink.hpp"
#include "bench/sizes.hpp"
#include "bench/system.hpp"
#include "collectives/error.hpp"
#include "reports/model/analyze.hpp"

namespace arb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSweepSeconds = 45;    // what a default sweep should take to measure
constexpr double kShortestCase = 0.01;  // seconds per algorithm, however large the sweep
constexpr double kLongestCase = 2;

constexpr uint64_t kAroundBuffer = 8192;  // guards, alignment, the rest of a page

struct Interrupted {};

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

/// Expected seconds of a case: for the progress bar only.
double weight(const Case& planned, double case_seconds, size_t algorithms) {
  if (!planned.skip.empty()) return 0;
  const double passes = 10 * static_cast<double>(planned.needed_bytes) / 5e9;
  return static_cast<double>(algorithms) * (case_seconds + passes);
}

class Sweep {
 public:
  Sweep(const Options& options, const std::vector<std::string>& command,
        const std::atomic<bool>& interrupted)
      : options_(options),
        interrupted_(interrupted),
        system_(read_system()),
        algorithms_(options.algorithms.empty()
                        ? algorithm_names(known_algorithms(), options.collective)
                        : options.algorithms),
        sink_(options, longest_name()) {
    const BuildInfo build = build_info();
    report_.version = build.version;
    report_.revision = build.revision;
    report_.build = build.build;
    report_.started = utc_now();
    report_.command = command;
    if (options.timeout_seconds) {
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(*options.timeout_seconds));
    }
    if (!options.inject.empty()) fault_ = parse_fault(options.inject);
  }

  int run();

 private:
  size_t longest_name() const {
    size_t longest = 0;
    for (const std::string& algorithm : algorithms_) longest = std::max(longest, algorithm.size());
    return longest;
  }

  uint64_t runner_bytes(int ranks, uint64_t bytes, bool in_place) const;
  void examine();
  void enter_ranks(int ranks);
  void run_case(const Case& planned, Progress& progress, double done, double share);
  void add_skipped(const Case& planned, const std::string& algorithm, const std::string& reason);
  void add_results(const Case& planned, const CaseRun& run, Status unfinished,
                   const std::string& reason);
  CaseSettings settings() const;
  int finish(Progress& progress, int code);

  const Options& options_;
  const std::atomic<bool>& interrupted_;
  System system_;
  std::vector<std::string> algorithms_;
  ReportSink sink_;
  Report report_;
  Fault fault_;
  std::optional<Clock::time_point> deadline_;
  bool busy_ = false;
  double case_seconds_ = 0;
  std::unique_ptr<Team> team_;
  std::unique_ptr<Preparer> preparer_;
};

/// All algorithms of a case are prepared at once.
uint64_t Sweep::runner_bytes(int ranks, uint64_t bytes, bool in_place) const {
  const int workers = std::min(options_.workers.value_or(system_.usable_cores()), ranks);
  Preparer preparer(host_facts(system_, workers), SlotChoice{options_.slots, options_.slot_bytes});
  const Shape whole{options_.collective, ranks,      options_.root, bytes / size_of(options_.dtype),
                    options_.dtype,      options_.op};
  uint64_t sum = 0;
  for (const std::string& algorithm : algorithms_) {
    if (!preparer.unsupported(algorithm, whole))
      sum += preparer.slot_memory(algorithm, whole, in_place);
  }
  return sum;
}

void Sweep::examine() {
  report_.environment = describe_environment(system_);
  if (const auto cores = measure_busy_cores(system_.cpus, 0.1)) {
    busy_ = is_busy(*cores, system_.usable_cores());
  }
  Team team(options_.workers.value_or(system_.usable_cores()), system_.cpus);
  team.set_deadline(deadline_);
  const MemoryLimits limits =
      measure_memory_limits(team, limit_array_bytes(host_facts(system_, 1).last_level_bytes,
                                                    system_.usable_memory_bytes(), team.workers()));
  report_.environment.copy_limit_gbps = limits.copy_gbps;
  report_.environment.add_limit_gbps = limits.add_gbps;
}

void Sweep::enter_ranks(int ranks) {
  const int workers = std::min(options_.workers.value_or(system_.usable_cores()), ranks);
  if (team_ == nullptr || team_->workers() != workers) {
    team_ = std::make_unique<Team>(workers, system_.cpus);
    team_->set_deadline(deadline_);
    team_->set_interrupt(&interrupted_);
    RankFault fault;
    if (fault_.kind == FaultKind::kStall) {
      fault.stall_rank = fault_.rank;
      fault.stall_from = fault_.iteration;
    } else if (fault_.kind == FaultKind::kDelay) {
      fault.delay_rank = fault_.rank;
      fault.delay_every = std::max(1L, fault_.iteration);
      fault.delay_seconds = fault_.seconds;
    }
    team_->set_fault(fault);
    preparer_ = std::make_unique<Preparer>(host_facts(system_, workers),
                                           SlotChoice{options_.slots, options_.slot_bytes});
  }
}

CaseSettings Sweep::settings() const {
  CaseSettings settings;
  settings.checks = options_.checks;
  settings.checked_share = options_.checked_share;
  settings.seed = options_.seed;
  settings.fault = fault_;
  settings.iterations = options_.iterations;
  settings.warmup = options_.warmup;
  settings.precision = options_.precision;
  settings.seconds = options_.case_seconds.value_or(case_seconds_);
  settings.seconds_given = options_.case_seconds.has_value();
  settings.raw = options_.raw;
  settings.last_level_bytes = host_facts(system_, 1).last_level_bytes;
  return settings;
}

void Sweep::add_skipped(const Case& planned, const std::string& algorithm,
                        const std::string& reason) {
  Record record = blank_record(options_, planned, algorithm);
  record.status = Status::kSkipped;
  record.reason = reason;
  report_.records.push_back(std::move(record));
}

void Sweep::add_results(const Case& planned, const CaseRun& run, Status unfinished,
                        const std::string& reason) {
  RecordContext context{options_, system_, std::nullopt, busy_};
  for (size_t i = 0; i < run.algorithms().size(); ++i) {
    if (!run.algorithms()[i].is_reference()) continue;
    if (const auto time = run.result(i).time) context.copy_seconds = time->median;
  }
  for (size_t i = 0; i < run.algorithms().size(); ++i) {
    if (run.algorithms()[i].is_reference()) continue;
    const CaseResult result = run.result(i);
    Record record = blank_record(options_, planned, run.algorithms()[i].algorithm);
    complete_record(record, run.algorithms()[i], result, context);
    if (unfinished != Status::kOk && record.status != Status::kWrong) {
      if (!result.time) {
        record.status = unfinished;
        record.reason = reason;
      } else {
        record.flags.emplace_back("interrupted");
      }
    }
    report_.records.push_back(std::move(record));
  }
}

void Sweep::run_case(const Case& planned, Progress& progress, double done, double share) {
  const Shape wanted = shape_of(options_, planned);
  const std::string label = std::to_string(planned.ranks) + " ranks, " + format_size(planned.bytes);
  progress.update(done, label);
  const size_t first = report_.records.size();
  std::vector<Prepared> ready;
  for (const std::string& algorithm : algorithms_) {
    auto reason = planned.skip.empty() ? preparer_->unsupported(algorithm, wanted)
                                       : std::optional(planned.skip);
    if (reason) {
      add_skipped(planned, algorithm, *reason);
    } else {
      ready.push_back(preparer_->prepare(algorithm, wanted, planned.in_place));
    }
  }
  if (!ready.empty() && shows_limit(options_, system_, planned)) {
    ready.push_back(prepare_copy_limit(wanted));
  }
  std::unique_ptr<CaseRun> run;
  const auto deliver = [&](Status unfinished, const std::string& reason) {
    if (run != nullptr) add_results(planned, *run, unfinished, reason);
    sink_.add(report_, std::span(report_.records).subspan(first), progress);
  };
  try {
    if (!ready.empty()) {
      BufferLayout layout{planned.in_place, options_.unalign, 0};
      if (options_.cache == Cache::kCold)
        layout.cold_bytes = 2 * host_facts(system_, 1).last_level_bytes;
      const CaseBuffers buffers(wanted, layout);
      run = std::make_unique<CaseRun>(*team_, wanted, planned.in_place, buffers, std::move(ready),
                                      settings());
      run->on_progress([&](double part) {
        progress.update(done + part * share, label);
        if (interrupted_) throw Interrupted{};
        if (deadline_ && Clock::now() > *deadline_) {
          throw Error(ErrorKind::kTimeLimit, "the sweep was still going on");
        }
      });
      if (options_.checks > 0) run->check();
      run->measure();
    }
  } catch (const Interrupted&) {
    deliver(Status::kSkipped, "interrupted");
    throw;
  } catch (const Error& error) {
    const bool cut = error.kind() == ErrorKind::kTimeLimit;
    const std::string text = error.what();
    if (cut && interrupted_) {
      deliver(Status::kSkipped, "interrupted");
      throw Interrupted{};
    }
    deliver(cut ? Status::kTimeout : Status::kSkipped, text);
    if (!cut) throw;
    throw Error(ErrorKind::kTimeLimit,
                "time limit of " + format_duration(*options_.timeout_seconds) +
                    " reached: " + report_.records.back().collective + ", " + label + ", " + text);
  }
  deliver(Status::kOk, "");
}

int Sweep::finish(Progress& progress, int code) {
  report_.finished = utc_now();
  analyze(report_);
  sink_.end(report_, progress);
  const auto wrong = std::any_of(report_.records.begin(), report_.records.end(),
                                 [](const Record& r) { return r.status == Status::kWrong; });
  return code == 0 && wrong ? 3 : code;
}

int Sweep::run() {
  Footprint footprint;
  if (options_.cache == Cache::kCold)
    footprint.rotate_bytes = 2 * host_facts(system_, 1).last_level_bytes;
  footprint.around_bytes = kAroundBuffer;
  footprint.runner_bytes = [&](int ranks, uint64_t bytes, bool in_place) {
    return runner_bytes(ranks, bytes, in_place);
  };
  const std::vector<Case> cases =
      plan(options_, {system_.usable_cores(), system_.usable_memory_bytes()}, footprint);
  examine();
  size_t runnable = 0;
  for (const Case& planned : cases) runnable += planned.skip.empty() ? 1 : 0;
  const double share_of_case =
      kSweepSeconds / static_cast<double>(std::max<size_t>(runnable * algorithms_.size(), 1));
  case_seconds_ = std::clamp(share_of_case, kShortestCase, kLongestCase);
  double total = 0;
  for (const Case& planned : cases) total += weight(planned, case_seconds_, algorithms_.size());
  Progress progress(stderr_screen(options_.progress), total);
  sink_.begin(report_);
  double done = 0;
  try {
    for (const Case& planned : cases) {
      enter_ranks(planned.ranks);
      const double share = weight(planned, case_seconds_, algorithms_.size());
      run_case(planned, progress, done, share);
      done += share;
      if (sink_.unheard()) return finish(progress, 0);
    }
  } catch (const Interrupted&) {
    report_.partial_reason = "interrupted";
    return finish(progress, 130);
  } catch (const Error& error) {
    report_.partial_reason = error.what();
    finish(progress, 0);
    throw;
  }
  report_.complete = true;
  return finish(progress, 0);
}

}  // namespace

int run_sweep(const Options& options, const std::vector<std::string>& command,
              const std::atomic<bool>& interrupted) {
  if (const auto reason = launched_apart()) throw Error(ErrorKind::kEnvironment, *reason);
  return Sweep(options, command, interrupted).run();
}

}  // namespace arb
