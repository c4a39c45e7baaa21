#include "bench/gate_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
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
#include "reports/json.hpp"
#include "reports/text.hpp"

namespace arb {

namespace {

// An exact test needs 13 pairs for 35 rows at 1 %; three more, because some pairs do not count.
constexpr int64_t kPairs = 16;
constexpr int64_t kStarts = 6;  // against reports that are there already
// Of a case: what differs between starts is larger than what differs within one.
constexpr const char* kPairSeconds = "10ms";

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
    for (const std::string& path : options.outputs)
      outputs_.emplace_back(Argument{"--output", path});
  }

  int run() {
    if (!options_.gate.other_program.empty()) return finish(pairs());
    return finish(against());
  }

 private:
  Comparison against();
  Comparison pairs();
  /// One more start, in the words of the first.
  Report start(const std::string& program, const Again* again);
  Report first_start(std::vector<std::string> words);
  std::vector<ReportPair> take_pairs(int64_t count, const Again* again);
  std::vector<Report> take_starts(int64_t count, const Again* again);
  void talk(const std::string& text);
  int finish(Comparison comparison);

  const Options& options_;
  const std::vector<std::string>& command_;
  std::string program_;  // the new build
  std::vector<std::string> words_;
  Starts starts_;
  GateFiles files_;
  std::vector<OutputFile> outputs_;
  Progress progress_;
  double done_ = 0, wanted_ = 1;  // starts
  std::string config_;            // the first report, for the starts after it
  std::optional<Report> first_;
  std::vector<std::string> context_;
};

void GateRun::talk(const std::string& text) {
  progress_.clear();
  fmt::print(stderr, "allreduce-bench: {}\n", text);
}

Report GateRun::start(const std::string& program, const Again* again) {
  progress_.update(done_ / wanted_, fmt::format("start {:.0f} of {:.0f}", done_ + 1, wanted_));
  std::vector<std::string> words = {"--config", config_};
  if (again != nullptr) {
    const std::vector<std::string> more = again->words();
    words.insert(words.end(), more.begin(), more.end());
  }
  Report report = starts_.measure(program, words);
  done_ += 1;
  return report;
}

/// Its report says all that was left to defaults, so that later starts measure the same.
Report GateRun::first_start(std::vector<std::string> words) {
  progress_.update(0, "first start");
  Report report = starts_.measure(program_, words);
  config_ = starts_.file("config.json");
  WholeFile({"--config", config_}).replace(write_json(report));
  for (const OutputFile& output : outputs_) output.replace(output.writer().write(report));
  done_ += 1;
  first_ = report;
  return report;
}

std::vector<ReportPair> GateRun::take_pairs(int64_t count, const Again* again) {
  const std::string other = std::filesystem::absolute(options_.gate.other_program).string();
  std::vector<ReportPair> all;
  while (std::ssize(all) < count) {
    ReportPair pair;
    if (std::ssize(all) % 2 == 0) {  // A B B A A B: a drift hits both alike
      pair.fresh = start(program_, again);
      pair.base = start(other, again);
    } else {
      pair.base = start(other, again);
      pair.fresh = start(program_, again);
    }
    all.push_back(std::move(pair));
  }
  return all;
}

std::vector<Report> GateRun::take_starts(int64_t count, const Again* again) {
  std::vector<Report> all;
  while (std::ssize(all) < count) all.push_back(start(program_, again));
  return all;
}

Comparison GateRun::pairs() {
  const int64_t count = options_.gate.starts > 0 ? options_.gate.starts : kPairs;
  if (!given(words_, "--max-time") && options_.config.empty() && !options_.iterations) {
    words_.insert(words_.end(), {"--max-time", kPairSeconds});
  }
  wanted_ = 2 * static_cast<double>(count) + 1;
  first_start(words_);  // warms the machine up; its pair comes below
  Comparison comparison = compare_pairs(take_pairs(count, nullptr), options_.gate.rules);
  context_.push_back(fmt::format("old: {}", options_.gate.other_program));
  context_.push_back(fmt::format("new: this program, version {}", build_info().version));
  context_.push_back(fmt::format("{} pairs of starts, in turn", count));
  const Again again = suspicious_cases(comparison);
  if (again.empty()) return comparison;
  talk(fmt::format("{} of {} cases look slower; measuring them in {} more pairs of starts",
                   again.sizes.size() * again.ranks.size(), comparison.rows.size(), count));
  done_ = 0;
  wanted_ = 2 * static_cast<double>(count);
  context_.push_back(fmt::format("what looked slower: judged by {} more pairs alone", count));
  return confirmed(std::move(comparison),
                   compare_pairs(take_pairs(count, &again), options_.gate.rules));
}

Comparison GateRun::against() {
  const int64_t count = options_.gate.starts > 0 ? options_.gate.starts : kStarts;
  std::vector<Report> base;
  for (const std::string& file : options_.gate.baselines) base.push_back(read_report_file(file));
  if (!given(words_, "--config")) {  // measured again as it was
    words_.insert(words_.begin(), {"--config", options_.gate.baselines.front()});
  }
  wanted_ = static_cast<double>(count);
  std::vector<Report> fresh = {first_start(words_)};
  for (Report& report : take_starts(count - 1, nullptr)) fresh.push_back(std::move(report));
  Comparison comparison = compare(base, fresh, options_.gate.rules);
  context_.push_back(fmt::format("old: {}", fmt::join(options_.gate.baselines, ", ")));
  context_.push_back(fmt::format("new: this program, version {}, {}", build_info().version,
                                 counted(count, "start")));
  const Again again = suspicious_cases(comparison);
  if (again.empty()) return comparison;
  talk(fmt::format("{} cases look slower; measuring them in {} more starts",
                   again.sizes.size() * again.ranks.size(), count));
  done_ = 0;
  wanted_ = static_cast<double>(count);
  context_.push_back(fmt::format("what looked slower: judged by {} more starts alone", count));
  std::vector<Report> part;
  for (const Report& report : base) part.push_back(only(report, again));
  return confirmed(std::move(comparison),
                   compare(part, take_starts(count, &again), options_.gate.rules));
}

int GateRun::finish(Comparison comparison) {
  progress_.clear();
  Gate gate = gate_of(comparison, options_.gate.rules);
  gate.name = options_.gate.other_program.empty() ? "run --against" : "run --ab";
  gate.context.insert(gate.context.begin(), context_.begin(), context_.end());
  gate.version = build_info().version;
  gate.started = first_->started;
  gate.command = command_;
  return deliver(gate, files_, options_.gate.format);
}

}  // namespace

bool judges(const Options& options) {
  return !options.gate.baselines.empty() || !options.gate.other_program.empty();
}

int run_gate(const Options& options, const std::vector<std::string>& command,
             const std::atomic<bool>& interrupted, const World* world, const Watchdog* watchdog) {
  if (world != nullptr) {
    throw Error(ErrorKind::kUsage,
                "--against and --ab start the program again and again: start this one without a "
                "launcher, and give the launcher as an option: --launcher \"mpirun -np 4\"");
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
