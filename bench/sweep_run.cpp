#include "bench/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <span>
#include <utility>

#include "bench/build_info.hpp"
#include "bench/config.hpp"
#include "bench/doctor.hpp"
#include "bench/environment.hpp"
#include "bench/known_algorithms.hpp"
#include "bench/plan_text.hpp"
#include "bench/records.hpp"
#include "bench/sizes.hpp"
#include "bench/system.hpp"
#include "collectives/error.hpp"
#include "reports/model/analyze.hpp"
#include "reports/text.hpp"

namespace arb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSweepSeconds = 45;    // what a default sweep should take to measure
constexpr double kShortestCase = 0.01;  // seconds per algorithm, however large the sweep
constexpr double kLongestCase = 2;

constexpr uint64_t kAroundBuffer = 8192;  // guards, alignment, the rest of a page

struct Interrupted {};

// What the leader says after every case.
constexpr const char* kGoOn = "go on";
constexpr const char* kUnheard = "nobody reads the results";
constexpr const char* kInterrupted = "interrupted";

/// Expected seconds of a case: for the progress bar only.
double weight(const Case& planned, double case_seconds, size_t algorithms) {
  if (!planned.skip.empty()) return 0;
  const double passes = 10 * static_cast<double>(planned.needed_bytes) / 5e9;
  return static_cast<double>(algorithms) * (case_seconds + passes);
}

std::vector<int> ranks_of(const std::vector<Case>& cases) {
  std::set<int> ranks;
  for (const Case& planned : cases) ranks.insert(planned.ranks);
  return {ranks.begin(), ranks.end()};
}

}  // namespace

Sweep::Sweep(const Options& options, const std::vector<std::string>& command, const System& system,
             Platform& platform, const Fault& fault, const CrewControl& control)
    : options_(options),
      system_(system),
      platform_(platform),
      algorithms_(options.algorithms.empty()
                      ? names_for(known_algorithms(), options.collective, platform.backend())
                      : options.algorithms),
      fault_(fault),
      control_(control) {
  const BuildInfo build = build_info();
  report_.version = build.version;
  report_.revision = build.revision;
  report_.build = build.build;
  report_.started = utc_now();
  report_.command = command;
}

size_t Sweep::longest_name() const {
  size_t longest = 0;
  for (const std::string& algorithm : algorithms_) longest = std::max(longest, algorithm.size());
  return longest;
}

/// All algorithms of a case are prepared at once. Per rank of the platform's fullest memory.
uint64_t Sweep::runner_bytes(int ranks, uint64_t bytes, bool in_place) const {
  Preparer preparer(platform_.slot_chooser(ranks), SlotChoice{options_.slots, options_.slot_bytes});
  const Shape whole{options_.collective, ranks,      options_.root, bytes / size_of(options_.dtype),
                    options_.dtype,      options_.op};
  uint64_t sum = 0;
  for (const std::string& algorithm : algorithms_) {
    sum += preparer.slot_memory(algorithm, whole, in_place);
  }
  return sum / static_cast<uint64_t>(ranks) *
         static_cast<uint64_t>(platform_.ranks_in_memory(ranks));
}

/// The leader plans; who follows cannot see another machine's memory.
std::vector<Case> Sweep::cases() {
  const Machine machine{system_.usable_cores(), platform_.memory_bytes(), platform_.rank_counts()};
  if (!platform_.leads()) return cases_from_text(platform_.follow(""));
  Footprint footprint;
  if (options_.cache == Cache::kCold) footprint.rotate_bytes = 2 * platform_.last_level_bytes();
  footprint.around_bytes = kAroundBuffer;
  footprint.runner_bytes = [&](int ranks, uint64_t bytes, bool in_place) {
    return runner_bytes(ranks, bytes, in_place);
  };
  footprint.ranks_in_memory = [&](int ranks) { return platform_.ranks_in_memory(ranks); };
  std::vector<Case> planned = plan(options_, machine, footprint);
  platform_.follow(cases_to_text(planned));
  return planned;
}

/// The others rest meanwhile, or they would be what keeps the machine busy.
void Sweep::examine() {
  if (platform_.leads()) {
    report_.environment = describe_environment(system_);
    if (const auto cores = measure_busy_cores(system_.cpus, 0.1)) {
      busy_ = is_busy(*cores, system_.usable_cores());
    }
    if (platform_.backend() == "host") {
      busy_watch_.emplace([this] { return read_cpu_times(system_.cpus); }, system_.usable_cores(),
                          busy_);
    }
    platform_.describe(report_.environment);
  }
  platform_.follow(kGoOn);
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
  settings.last_level_bytes = platform_.last_level_bytes();
  settings.clock = platform_.sample_clock();
  return settings;
}

Record Sweep::blank(const Case& planned, const std::string& algorithm) const {
  Record record = blank_record(options_, planned, algorithm);
  record.backend = platform_.backend();
  record.nodes = std::ssize(platform_.nodes(planned.ranks));
  return record;
}

void Sweep::add_skipped(const Case& planned, const std::string& algorithm,
                        const std::string& reason) {
  Record record = blank(planned, algorithm);
  record.status = Status::kSkipped;
  record.reason = reason;
  report_.records.push_back(std::move(record));
}

void Sweep::add_results(const Case& planned, const CaseRun& run, const Handoffs& handoffs,
                        Status unfinished, const std::string& reason) {
  RecordContext context{options_, platform_.oversubscribed(planned.ranks), std::nullopt, busy(),
                        handoffs};
  for (size_t i = 0; i < run.algorithms().size(); ++i) {
    if (!run.algorithms()[i].is_reference()) continue;
    if (const auto time = run.result(i).time) context.copy_seconds = time->median;
  }
  for (size_t i = 0; i < run.algorithms().size(); ++i) {
    if (run.algorithms()[i].is_reference()) continue;
    const CaseResult result = run.result(i);
    Record record = blank(planned, run.algorithms()[i].algorithm);
    complete_record(record, run.algorithms()[i], result, context);
    platform_.annotate(record);
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
  const std::string where = std::string(name(options_.collective)) + ", " + label + ", ";
  progress.update(done, label);
  const size_t first = report_.records.size();
  Runner& runner = platform_.runner();
  Crew& crew = platform_.crew();
  std::unique_ptr<Preparer>& kept = preparers_[planned.ranks];
  if (kept == nullptr) {
    kept = std::make_unique<Preparer>(platform_.slot_chooser(planned.ranks),
                                      SlotChoice{options_.slots, options_.slot_bytes});
  }
  Preparer& preparer = *kept;
  bool agreed = false;  // all processes found the time limit passed, at the same place
  std::unique_ptr<CaseRun> run;
  Handoffs handoffs;
  const auto deliver = [&](Status unfinished, const std::string& reason) {
    if (!platform_.leads()) return;  // records are for the report
    if (busy_watch_) busy_watch_->end_case();
    if (run != nullptr) add_results(planned, *run, handoffs, unfinished, reason);
    if (sink_) sink_->add(report_, std::span(report_.records).subspan(first), progress);
  };
  try {
    std::vector<Prepared> ready;
    for (const std::string& algorithm : algorithms_) {
      auto reason = planned.skip.empty() ? preparer.unsupported(algorithm, wanted, runner)
                                         : std::optional(planned.skip);
      try {
        if (!reason) ready.push_back(preparer.prepare(algorithm, wanted, planned.in_place, runner));
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kEnvironment || options_.strict) throw;
        reason = error.what();  // found out by all processes alike
      }
      if (reason) add_skipped(planned, algorithm, *reason);
    }
    if (!ready.empty() && shows_limit(options_, platform_.last_level_bytes(), planned)) {
      if (auto limit = prepare_copy_limit(runner, wanted, planned.in_place))
        ready.push_back(std::move(*limit));
    }
    if (!ready.empty()) {
      BufferLayout layout{planned.in_place, options_.unalign, 0};
      if (options_.cache == Cache::kCold) layout.cold_bytes = 2 * platform_.last_level_bytes();
      const CaseBuffers buffers(wanted, layout, runner.locality(), platform_.buffer_tools());
      run = std::make_unique<CaseRun>(crew, wanted, planned.in_place, buffers, std::move(ready),
                                      settings());
      platform_.begin_watch();
      run->on_progress([&](double part) {
        platform_.look();
        progress.update(done + part * share, label);
        if (crew.interrupted()) throw Interrupted{};
        if (crew.expired()) {
          agreed = true;
          throw Error(ErrorKind::kTimeLimit, "the sweep was still going on");
        }
      });
      if (busy_watch_) busy_watch_->begin_case();
      if (options_.checks > 0) run->check();
      const auto before = platform_.handoff();
      run->measure();
      const auto after = platform_.handoff();
      if (before && after) handoffs.emplace(*before, *after);
    }
  } catch (const Interrupted&) {
    deliver(Status::kSkipped, "interrupted");
    platform_.follow(kInterrupted);  // for those that had no part in it
    throw;
  } catch (const Error& error) {
    const bool cut = error.kind() == ErrorKind::kTimeLimit;
    std::string text = error.what();
    if (cut && !agreed) text += crew.roll_call(text);
    if (cut && crew.interrupted()) {
      deliver(Status::kSkipped, "interrupted");
      platform_.follow(kInterrupted);
      throw Interrupted{};
    }
    if (cut && told_to_end()) {
      deliver(Status::kSkipped, "interrupted");
      throw Error(ErrorKind::kTimeLimit, "interrupted: " + where + text);
    }
    deliver(cut ? Status::kTimeout : Status::kSkipped, text);
    if (!cut) throw;
    throw Error(ErrorKind::kTimeLimit, time_limit_reached() + where + text);
  }
  deliver(Status::kOk, "");
}

std::string Sweep::time_limit_reached() const {
  return "time limit of " + format_duration(*options_.timeout_seconds) + " reached: ";
}

bool Sweep::enter(int ranks) {
  try {
    return platform_.enter(ranks);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kTimeLimit || told_to_end()) throw;
    throw Error(error.kind(), time_limit_reached() + "the first " + std::to_string(ranks) +
                                  " ranks had not come together, " + error.what());
  }
}

/// By a launcher that ends all processes because it lost one: the others do not come along.
bool Sweep::told_to_end() const {
  return *control_.interrupted && !(control_.deadline && Clock::now() > *control_.deadline);
}

int Sweep::finish(int code) {
  if (!platform_.leads()) return code;
  report_.finished = utc_now();
  analyze(report_);
  sink_->end(report_, *progress_);
  if (code != 0) return code;
  const auto any = [&](Status status) {
    return std::any_of(report_.records.begin(), report_.records.end(),
                       [&](const Record& record) { return record.status == status; });
  };
  if (any(Status::kWrong)) return 3;
  if (!report_.complete || any(Status::kOk)) return 0;
  fmt::print(stderr, "allreduce-bench: nothing was measured: {} skipped\n",
             counted(std::ssize(report_.records), "case"));
  return 2;
}

/// Until it is done, or nobody reads the results. Throws Interrupted.
void Sweep::run_cases(const std::vector<Case>& cases) {
  size_t runnable = 0;
  for (const Case& planned : cases) runnable += planned.skip.empty() ? 1 : 0;
  const double share_of_case =
      kSweepSeconds / static_cast<double>(std::max<size_t>(runnable * algorithms_.size(), 1));
  case_seconds_ = std::clamp(share_of_case, kShortestCase, kLongestCase);
  double total = 0;
  for (const Case& planned : cases) total += weight(planned, case_seconds_, algorithms_.size());
  const bool shown = sink_ && options_.progress && platform_.leads();
  Progress& progress = progress_.emplace(stderr_screen(shown), total);
  double done = 0;
  for (const Case& planned : cases) {
    const double share = weight(planned, case_seconds_, algorithms_.size());
    if (enter(planned.ranks)) run_case(planned, progress, done, share);
    done += share;
    const std::string next = platform_.follow(sink_ && sink_->unheard() ? kUnheard : kGoOn);
    if (next == kUnheard) return;
    if (next == kInterrupted) throw Interrupted{};
  }
  report_.complete = true;
}

int Sweep::run() {
  sink_.emplace(options_, longest_name(), platform_.leads(), platform_.backend() != "host");
  const std::vector<Case> cases = this->cases();
  report_.config = config_of(options_, {platform_.backend(), algorithms_, ranks_of(cases)});
  examine();
  sink_->begin(report_);
  try {
    run_cases(cases);
  } catch (const Interrupted&) {
    report_.partial_reason = "interrupted";
    return finish(130);
  } catch (const Error& error) {
    report_.partial_reason = error.what();
    finish(0);
    throw;
  }
  return finish(0);
}

Report Sweep::measure() {
  try {
    run_cases(cases());
  } catch (const Interrupted&) {
    report_.partial_reason = "interrupted";
  }
  report_.finished = utc_now();
  return std::move(report_);
}

}  // namespace arb
