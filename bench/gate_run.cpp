#include "bench/gate_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "bench/build_info.hpp"
#include "bench/files.hpp"
#include "bench/gate_files.hpp"
#include "bench/gate_words.hpp"
#include "bench/output_file.hpp"
#include "bench/progress.hpp"
#include "bench/report_file.hpp"
#include "bench/starts.hpp"
#include "collectives/error.hpp"
#include "reports/blocks.hpp"
#include "reports/json.hpp"
#include "reports/text.hpp"

namespace arb {

namespace {

// An exact test needs 13 pairs for 35 rows at 1 %; three more, because some pairs do not count.
constexpr int64_t kPairs = 16;
constexpr int64_t kStarts = 6;  // against reports that are there already
// Of a case: what differs between starts is larger than what differs within one.
constexpr const char* kPairSeconds = "3ms";
constexpr int64_t kMostRounds = 3;
constexpr double kEndOfStart = 8;  // seconds, longer than a child that will not end is waited for

bool given(const std::vector<std::string>& words, std::string_view option) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word == option || word.starts_with(std::string(option) + "=");
  });
}

class GateRun {
 public:
  GateRun(const Options& options, const std::vector<std::string>& command,
          const std::atomic<bool>& interrupted, const Watchdog* watchdog)
      : options_(options),
        command_(command),
        program_(options.gate.new_program.empty()
                     ? own_program().string()
                     : std::filesystem::absolute(options.gate.new_program).string()),
        words_(sweep_words(command)),
        starts_(options.gate.launcher,
                watchdog != nullptr ? std::optional(watchdog->deadline()) : std::nullopt,
                &interrupted),
        files_(options.gate),
        progress_(stderr_screen(options.progress), 1) {
    for (const std::string& path : options.outputs) {
      outputs_.emplace_back(Argument{"--output", path});
    }
    if (in_pairs()) {
      other_ = std::filesystem::absolute(options.gate.other_program).string();
      count_ = options.gate.starts > 0 ? options.gate.starts : kPairs;
      const bool timed = given(words_, "--max-time") || options.iterations;
      if (!timed) words_.insert(words_.end(), {"--max-time", kPairSeconds});
    } else {
      for (const std::string& file : options.gate.baselines) {
        base_.push_back(read_report_file(file));
      }
      count_ = options.gate.starts > 0 ? options.gate.starts : kStarts;
      if (!given(words_, "--config")) {  // measured again as it was
        words_.insert(words_.begin(), {"--config", options.gate.baselines.front()});
      }
    }
  }

  int run();

 private:
  bool in_pairs() const { return !options_.gate.other_program.empty(); }
  Report start(const std::string& program, const std::string& label, const Again* again);
  void first_start();
  void take(int64_t count, const std::string& label, const Again* again);
  Comparison compare_taken(const Again* again) const;
  Comparison compare_with_wrong() const;
  Comparison measured(const std::string& label, const Again* again);
  int finish(const Comparison& comparison);

  const Options& options_;
  const std::vector<std::string>& command_;
  std::string program_, other_;  // the new and the old build
  std::vector<std::string> words_;
  Starts starts_;
  GateFiles files_;
  std::vector<OutputFile> outputs_;
  Progress progress_;
  int64_t count_ = 0;         // of pairs or starts to judge by
  std::vector<Report> base_;  // that were there
  std::vector<ReportPair> pairs_;
  std::vector<Report> fresh_;
  Report wrong_;        // the first start, with nothing but its wrong data
  std::string config_;  // the first report, for the starts after it
  std::string started_;
  std::vector<std::string> context_;
};

Report GateRun::start(const std::string& program, const std::string& label, const Again* again) {
  const auto pairs = static_cast<double>(pairs_.size());
  const double done = in_pairs() ? pairs : static_cast<double>(fresh_.size());
  progress_.update(std::min(0.99, done / static_cast<double>(count_)), label);
  std::vector<std::string> words = {"--config", config_};
  if (again != nullptr) {
    const std::vector<std::string> more = again->words();
    words.insert(words.end(), more.begin(), more.end());
  }
  return starts_.measure(program, words);
}

/// Its report says all that was left to defaults, so that later starts measure the same. Its times
/// are not judged: a machine that was idle wakes up in it. Wrong data is.
void GateRun::first_start() {
  progress_.update(0, "first start");
  const Report report = starts_.measure(program_, words_);
  config_ = starts_.file("config.json");
  WholeFile({"--config", config_}).replace(write_json(report));
  for (const OutputFile& output : outputs_) output.replace(output.writer().write(report));
  started_ = report.started;
  wrong_ = report;
  std::erase_if(wrong_.records, [](const Record& record) { return !is_wrong(record); });
}

/// Pairs in turn, A B B A A B: a drift hits both builds alike.
void GateRun::take(int64_t count, const std::string& label, const Again* again) {
  for (int64_t i = 0; i < count; ++i) {
    if (!in_pairs()) {
      fresh_.push_back(start(program_, label, again));
      continue;
    }
    ReportPair pair;
    const bool old_first = pairs_.size() % 2 == 1;
    if (old_first) pair.base = start(other_, label, again);
    pair.fresh = start(program_, label, again);
    if (!old_first) pair.base = start(other_, label, again);
    pairs_.push_back(std::move(pair));
  }
}

Comparison GateRun::compare_taken(const Again* again) const {
  if (again == nullptr && !wrong_.records.empty()) return compare_with_wrong();
  if (in_pairs()) return compare_pairs(pairs_, options_.gate.rules);
  if (again == nullptr) return compare(base_, fresh_, options_.gate.rules);
  std::vector<Report> part;
  for (const Report& report : base_) part.push_back(only(report, *again));
  return compare(part, fresh_, options_.gate.rules);
}

/// Beside what is judged, the wrong data of the first start.
Comparison GateRun::compare_with_wrong() const {
  if (!in_pairs()) {
    std::vector<Report> fresh = fresh_;
    fresh.push_back(wrong_);
    return compare(base_, fresh, options_.gate.rules);
  }
  std::vector<ReportPair> pairs = pairs_;
  pairs.push_back({wrong_, wrong_});
  pairs.back().base.records.clear();
  return compare_pairs(pairs, options_.gate.rules);
}

/// How many starts or pairs count for a typical row: the machine may have changed its state.
int64_t that_count(const Comparison& comparison) {
  std::vector<int64_t> counts;
  for (const CompareRow& row : comparison.rows) {
    if (row.ratio || row.change == Change::kCannotTell) counts.push_back(row.fresh_starts);
  }
  if (counts.empty()) return 0;
  std::nth_element(counts.begin(), counts.begin() + std::ssize(counts) / 2, counts.end());
  return counts[counts.size() / 2];
}

/// Until enough starts count, but at most thrice as many.
Comparison GateRun::measured(const std::string& label, const Again* again) {
  pairs_.clear();
  fresh_.clear();
  take(count_, label, again);
  Comparison comparison = compare_taken(again);
  int64_t taken = count_;
  while (taken < kMostRounds * count_) {
    const int64_t missing = std::min(count_ - that_count(comparison), kMostRounds * count_ - taken);
    if (missing <= 0) break;
    take(missing, label + ", more for a machine that changes its state", again);
    taken += missing;
    comparison = compare_taken(again);
  }
  context_.push_back(fmt::format("{}: {}", label, counted(taken, in_pairs() ? "pair" : "start")) +
                     (in_pairs() ? " of starts, in turn" : " of the program"));
  return comparison;
}

int GateRun::run() {
  context_.push_back("old: " + (in_pairs()
                                    ? options_.gate.other_program
                                    : fmt::format("{}", fmt::join(options_.gate.baselines, ", "))));
  context_.push_back(
      fmt::format("new: {}, version {}",
                  options_.gate.new_program.empty() ? "this program" : options_.gate.new_program,
                  build_info().version));
  first_start();
  const Comparison all = measured("all cases", nullptr);
  const Again again = suspicious_cases(all);
  if (again.empty()) return finish(all);
  progress_.clear();
  fmt::print(stderr, "allreduce-bench: {} may be slower; measured again in fresh starts\n",
             again.text());
  return finish(confirmed(all, measured(again.text() + " again, judged by these alone", &again)));
}

int GateRun::finish(const Comparison& comparison) {
  progress_.clear();
  Gate gate = gate_of(comparison, options_.gate.rules);
  gate.name = options_.gate.other_program.empty() ? "run --against" : "run --ab";
  gate.context.insert(gate.context.begin(), context_.begin(), context_.end());
  gate.version = build_info().version;
  gate.started = started_;
  gate.command = command_;
  return deliver(gate, files_, options_.gate.format);
}

}  // namespace

bool judges(const Options& options) {
  return !options.gate.baselines.empty() || !options.gate.other_program.empty();
}

int run_gate(const Options& options, const std::vector<std::string>& command,
             const std::atomic<bool>& interrupted, const World* world, Watchdog* watchdog) {
  if (world != nullptr) {
    throw Error(ErrorKind::kUsage,
                "--against and --ab start the program again and again: start this one without a "
                "launcher, and give the launcher as an option: --launcher \"mpirun -np 4\"");
  }
  if (watchdog != nullptr) {  // a start that the limit ends must be gone before this program is
    const std::chrono::duration<double> left =
        watchdog->deadline() - std::chrono::steady_clock::now();
    watchdog->postpone(left.count() + kEndOfStart);
  }
  try {
    return GateRun(options, command, interrupted, watchdog).run();
  } catch (const std::invalid_argument& error) {
    throw Error(ErrorKind::kUsage, error.what());
  } catch (const StartInterrupted&) {
    fmt::print(stderr, "allreduce-bench: interrupted: nothing was judged\n");
    return 130;
  }
}

}  // namespace arb
