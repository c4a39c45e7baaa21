// Every option of the command line: one row each. Help, parsing and the tests iterate this table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "bench/sweep.hpp"
#include "bench/values.hpp"

namespace arb {

/// Options while they are read: what can only be judged when all are known stays an argument here.
struct Draft {
  Options options;
  SizeArguments sizes;
  std::vector<Argument> places;  // --in-place, --out-of-place, --place
  std::vector<Argument> outputs;
  std::vector<Argument> gpu_options;  // --gpus, --ranks-per-gpu, --protocol, --launch
  std::vector<Argument> judging;      // of run, they need --against or --ab
  std::vector<Argument> gate_files;   // --verdicts, --junit, --summary
  std::optional<Argument> against, ab;
  std::optional<Argument> algorithms, ranks, root, op, check, no_check, path, precision, raw;
};

inline constexpr unsigned kForRun = 1;
inline constexpr unsigned kForProve = 2;
inline constexpr unsigned kForTune = 4;
inline constexpr unsigned kForCompare = 8;
inline constexpr unsigned kForAccept = 16;

struct OptionRow {
  const char* names;  // "-n,--iterations,--iters"; help shows the short and the first long one
  const char* value;  // "N"; nullptr for a flag
  const char* group;  // heading in the help; empty: hidden
  const char* help;
  unsigned verbs;
  void (*apply)(Draft&, const Argument&);
  bool repeats = false;     // may be given more than once
  bool of_one_run = false;  // decides nothing that is measured: no option for a file
};

std::span<const OptionRow> option_table();

// Its parts, in this order. Files of options hold those of the first (bench/config.hpp).
std::span<const OptionRow> sweep_options();  // run and prove
std::span<const OptionRow> tune_options();
std::span<const OptionRow> compare_options();  // and run --against, run --ab
std::span<const OptionRow> accept_options();

/// {"-n", "--iterations", "--iters"}
std::vector<std::string> names_of(const OptionRow& row);
/// "--iterations": the first long one; every row has one.
std::string long_name(const OptionRow& row);

std::vector<std::string> collective_choices();
std::vector<std::string> dtype_choices();
std::vector<std::string> op_choices();
std::vector<std::string> format_choices();  // in the order of enum Format

}  // namespace arb
