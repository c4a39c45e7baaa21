#include "bench/tune_verify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <system_error>

#include "bench/child.hpp"
#include "bench/files.hpp"
#include "bench/output_file.hpp"
#include "bench/temporary_folder.hpp"
#include "bench/tune_effect.hpp"
#include "collectives/error.hpp"
#include "reports/json.hpp"
#include "reports/text.hpp"

namespace arb {

namespace {

constexpr int kNoSuchAlgorithm = 99;
constexpr double kRunSeconds = 300;  // of one run; a rule that hangs is cut then
constexpr size_t kShownBytes = 800;  // of what a failed run said

struct Run {
  ChildResult child;
  Medians medians;
  bool wrong = false;  // a record says so
};

/// The program under the launcher, with a rules file or without.
class Trial {
 public:
  Trial(const Options& options, const Combination& of, const std::set<int64_t>& sizes)
      : argv_(words_of(options.verify_launcher)) {
    argv_.push_back(options.verify_program.empty()
                        ? own_program().string()
                        : std::filesystem::absolute(options.verify_program).string());
    const std::vector<std::string> words = {
        "--backend",     "mpi",
        "--collective",  of.collective,
        "--algorithms",  "openmpi:default",
        "--dtype",       of.dtype,
        "--op",          of.op,
        "--cache",       of.cache,
        "--place",       of.in_place ? "in-place" : "out-of-place",
        "--unalign",     std::to_string(of.unalign),
        "--sizes",       fmt::format("{}", fmt::join(sizes, ",")),
        "--no-progress", "--output",
        output()};
    argv_.insert(argv_.end(), words.begin(), words.end());
  }

  /// `rules` empty: without.
  Run run(const std::string& rules) const {
    std::error_code error;
    std::filesystem::remove(output(), error);
    // An empty value removes a variable: a run without the rules has none of the user's either.
    Run run;
    run.child = run_child(argv_,
                          {{"OMPI_MCA_coll_tuned_use_dynamic_rules", rules.empty() ? "" : "1"},
                           {"OMPI_MCA_coll_tuned_dynamic_rules_filename", rules}},
                          kRunSeconds);
    if (run.child.timed_out) {
      throw Error(ErrorKind::kTimeLimit,
                  fmt::format("--verify: a run {} the rules did not end in {:.0f} s: {}",
                              rules.empty() ? "without" : "with", kRunSeconds, command()));
    }
    const auto text = read_file(output());
    if (!text || text->empty()) return run;
    try {
      const Report report = read_json(*text);
      run.medians = medians_of(report);
      run.wrong = std::any_of(report.records.begin(), report.records.end(),
                              [](const Record& each) { return each.status == Status::kWrong; });
    } catch (const std::invalid_argument&) {
      run.medians.clear();  // a run that was cut while it wrote
    }
    return run;
  }

  std::string command() const { return fmt::format("{}", fmt::join(argv_, " ")); }
  std::string scratch(const std::string& name) const { return folder_.file(name); }

 private:
  std::string output() const { return folder_.file("run.json"); }

  TemporaryFolder folder_{"--verify"};
  std::vector<std::string> argv_;
};

std::string said(const Run& run) {
  const std::string& all = run.child.output;
  return printable(all.size() > kShownBytes ? "... " + all.substr(all.size() - kShownBytes) : all);
}

/// Only the ranges that the launcher's communicators have.
std::vector<Subject> present(const std::vector<Subject>& all, const Medians& medians,
                             const std::string& launcher) {
  std::set<int64_t> started;
  for (const auto& [key, seconds] : medians) started.insert(key.first);
  std::vector<Subject> subjects;
  std::set<int64_t> absent;
  for (const Subject& subject : all) {
    if (started.count(subject.ranks) > 0) {
      subjects.push_back(subject);
    } else {
      absent.insert(subject.ranks);
    }
  }
  if (subjects.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--verify '{}': it measured {} ranks, the rules are for {}; start as "
                            "many processes",
                            launcher, fmt::join(started, ", "), fmt::join(absent, ", ")));
  }
  if (!absent.empty()) {
    fmt::print("  not verified: rules for {} ranks, which the launcher does not start\n",
               fmt::join(absent, ", "));
  }
  return subjects;
}

/// Whether Open MPI reads the file: an algorithm that does not exist makes MPI_Allreduce fail.
bool is_live(const Trial& trial, const std::vector<Tuning>& tunings, OpenMpiRules how) {
  how.every_number = kNoSuchAlgorithm;
  const std::string probe = trial.scratch("probe.rules");
  WholeFile({"--verify", probe}).replace(write_openmpi_rules(tunings, how));
  const Run run = trial.run(probe);
  const bool failed = run.child.exit_code != 0;
  const bool named = run.child.output.find("MPI_Allreduce") != std::string::npos ||
                     run.child.output.find("MPI_ERR_ARG") != std::string::npos;
  if (failed && named) {
    fmt::print("  read by Open MPI: yes (with algorithm {} in it MPI_Allreduce fails)\n",
               kNoSuchAlgorithm);
    return true;
  }
  if (failed) {
    fmt::print("  read by Open MPI: unknown; the probe failed otherwise (exit code {}): {}\n",
               run.child.exit_code, said(run));
    return false;
  }
  fmt::print("{}",
             paragraph("read by Open MPI: NO. With an algorithm that does not exist the run "
                       "succeeds: the launcher sets other rules, the file is not seen on all "
                       "nodes, or another component serves MPI_Allreduce (try --mca coll ^hcoll "
                       "or --mca coll_base_verbose 10)",
                       2));
  return false;
}

/// 0 or 3, or 1 with the reason printed.
int judge_run(const Run& run) {
  if (run.wrong || run.child.exit_code == 3) {
    fmt::print("  WRONG results with the rules: {}\n", said(run));
    return 3;
  }
  if (run.child.exit_code == 0) return 0;
  fmt::print("  runs with the rules FAIL (exit code {}): {}\n", run.child.exit_code, said(run));
  return 1;
}

Run run_without(const Trial& trial) {
  Run run = trial.run("");
  if (run.child.exit_code == 0 && !run.medians.empty()) return run;
  throw Error(ErrorKind::kEnvironment,
              fmt::format("--verify: a run without the rules {} (exit code {}): {}: {}",
                          run.child.exit_code == 0 ? "measured nothing" : "fails",
                          run.child.exit_code, trial.command(), said(run)));
}

}  // namespace

int verify_rules(const Options& options, const std::vector<Tuning>& tunings,
                 const OpenMpiRules& how, const std::string& rules) {
  const std::vector<Subject> all = subjects_of(tunings);
  if (all.empty()) {
    fmt::print("\nNothing to verify: there are no rules.\n");
    return 0;
  }
  if (words_of(options.verify_launcher).empty()) {
    throw Error(ErrorKind::kUsage, "--verify: no launcher; give one like \"mpirun -np 4\"");
  }
  std::set<int64_t> sizes;
  for (const Subject& subject : all) sizes.insert(subject.sizes.begin(), subject.sizes.end());
  const auto of = std::find_if(tunings.begin(), tunings.end(), [](const Tuning& each) {
    return each.of.collective == "all-reduce";
  });
  const Trial trial(options, of->of, sizes);
  fmt::print("\nVerified with {}:\n", printable(options.verify_launcher));
  const std::vector<Subject> subjects =
      present(all, run_without(trial).medians, options.verify_launcher);
  if (!is_live(trial, tunings, how)) return 1;
  std::vector<Pair> pairs;
  for (int i = 0; i < kPairs; ++i) {
    fmt::print(stderr, "pair {} of {}: without and with the rules\n", i + 1, kPairs);
    Run without;
    if (i % 2 == 0) without = run_without(trial);
    const Run with = trial.run(rules);
    if (const int code = judge_run(with)) return code;
    if (i % 2 != 0) without = run_without(trial);
    pairs.push_back({std::move(without.medians), with.medians});
  }
  bool slower = false;
  for (const Subject& subject : subjects) {
    const Effect effect = effect_on(subject, pairs);
    fmt::print("  {}\n", effect_text(subject, effect));
    slower = slower || effect.verdict == Verdict::kSlower;
  }
  return slower ? 1 : 0;
}

}  // namespace arb
