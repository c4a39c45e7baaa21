#include "bench/tune_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "bench/help.hpp"
#include "bench/output_file.hpp"
#include "bench/report_file.hpp"
#include "bench/tune_verify.hpp"
#include "collectives/error.hpp"
#include "reports/text.hpp"
#include "reports/tune/nccl.hpp"
#include "reports/tune/openmpi.hpp"
#include "reports/tune/text.hpp"

namespace arb {

namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::kUsage, message); }

void check(const Options& options) {
  const bool nccl = !options.tune_nccl_tuner.empty() || !options.tune_nccl_csv.empty();
  if (options.files.size() != 1) {
    refuse(fmt::format("tune: {}; give one: {} tune REPORT.json --openmpi FILE",
                       options.files.empty() ? "which report?" : "more than one report", kProgram));
  }
  if (options.tune_openmpi.empty() && !nccl) {
    refuse("tune: nothing to write; give --openmpi FILE, --nccl-tuner FILE or --nccl-csv FILE");
  }
  if (nccl && !options.channels) {
    refuse(
        "--channels N is missing: NCCL's example tuner turns an unknown number of channels into 1; "
        "NCCL_DEBUG=INFO shows how many NCCL uses");
  }
  if (!nccl && options.channels) refuse("--channels: only for --nccl-tuner and --nccl-csv");
  if (!options.verify_launcher.empty() && options.tune_openmpi.empty()) {
    refuse("--verify: proves rules of Open MPI; add --openmpi FILE");
  }
}

std::string how_to_measure(const Library& library) {
  if (library.prefix == kOpenMpi.prefix) {
    return fmt::format(
        "mpirun -np 4 {} --algorithms openmpi:default,openmpi:{} --output REPORT.json", kProgram,
        fmt::join(openmpi_names(), ",openmpi:"));
  }
  return fmt::format(
      "{} --backend cuda --algorithms nccl:default,nccl:ring:simple,nccl:tree:ll,... "
      "--output REPORT.json",
      kProgram);
}

/// Throws if there is nothing that was measured, with a variant and the default.
std::vector<Tuning> tunings_of(const Report& report, const Library& library,
                               const std::string& file) {
  std::vector<Tuning> tunings = choose(report, library);
  std::vector<std::string> notes;
  bool any = false;
  for (const Tuning& tuning : tunings) {
    notes.insert(notes.end(), tuning.notes.begin(), tuning.notes.end());
    any = any || std::any_of(tuning.measured.begin(), tuning.measured.end(),
                             [](const Measured& each) { return !each.variant.empty(); });
  }
  if (any) return tunings;
  refuse(fmt::format(
      "'{}' has nothing to tune for {}: no usable record of {}:NAME (backend {}){}. "
      "Measure some: {}",
      file, library.title, library.prefix, library.backend,
      notes.empty() ? "" : fmt::format("; {}", fmt::join(notes, "; ")), how_to_measure(library)));
}

void print_table(const std::vector<Tuning>& tunings, const Library& library) {
  for (const Tuning& tuning : tunings) {
    if (tuning.measured.empty()) {
      for (const std::string& note : tuning.notes) fmt::print("{}", paragraph(note));
    } else {
      fmt::print("{}", tuning_table(tuning, library));
    }
  }
}

std::string source_of(const Report& report, const std::string& file) {
  return fmt::format("{} {}, from {}{}{}", kProgram, report.version,
                     std::filesystem::path(file).filename().string(),
                     report.started.empty() ? "" : ", measured " + report.started,
                     report.environment.mpi.empty() ? "" : ", " + report.environment.mpi);
}

std::string absolute(const std::string& file) {
  return std::filesystem::absolute(file).lexically_normal().string();
}

void print_openmpi(const std::vector<Tuning>& tunings, const std::string& file) {
  const bool rules = std::any_of(tunings.begin(), tunings.end(),
                                 [](const Tuning& each) { return each.has_rules(); });
  if (!rules) {
    fmt::print("\nOpen MPI's own choice was nowhere beaten for sure: {} changes nothing.\n", file);
    return;
  }
  if (std::any_of(tunings.begin(), tunings.end(), needs_commutative)) {
    fmt::print("\n{}",
               paragraph("Careful: with the rules, ring and segmented-ring also run for operations "
                         "that do not commute (MPI_Op_create with commute = 0), and give wrong "
                         "results; Open MPI checks that only when it decides itself."));
  }
  fmt::print("\nUse it:\n  mpirun {} ...\n", openmpi_options(absolute(file)));
}

int tune_openmpi(const Options& options, const Report& report, const std::string& source) {
  const std::vector<Tuning> tunings = tunings_of(report, kOpenMpi, options.files.front());
  const WholeFile file({"--openmpi", options.tune_openmpi});
  const OpenMpiRules how{source, options.extend, {}};
  file.replace(write_openmpi_rules(tunings, how));
  print_table(tunings, kOpenMpi);
  print_openmpi(tunings, options.tune_openmpi);
  if (options.verify_launcher.empty()) return 0;
  return verify_rules(options, tunings, how, absolute(options.tune_openmpi));
}

void tune_nccl(const Options& options, const Report& report, const std::string& source) {
  const std::vector<Tuning> tunings = tunings_of(report, kNccl, options.files.front());
  print_table(tunings, kNccl);
  if (!options.tune_nccl_tuner.empty()) {
    WholeFile({"--nccl-tuner", options.tune_nccl_tuner})
        .replace(write_nccl_tuner(tunings, *options.channels, source));
    fmt::print("\n{}",
               paragraph("Careful: what no line matches runs on 1 channel, so use the file only "
                         "with the collectives, nodes and ranks above."));
    fmt::print(
        "\nUse it:\n  NCCL_TUNER_PLUGIN=libnccl-tuner-example.so NCCL_TUNER_CONFIG_FILE={} ...\n",
        absolute(options.tune_nccl_tuner));
  }
  if (!options.tune_nccl_csv.empty()) {
    WholeFile({"--nccl-csv", options.tune_nccl_csv})
        .replace(write_nccl_csv(tunings, *options.channels));
    fmt::print("\nUse it:\n  python3 optimize_config.py {}\n", absolute(options.tune_nccl_csv));
  }
}

}  // namespace

int run_tune(const Options& options) {
  check(options);
  const Report report = read_report_file(options.files.front());
  const std::string source = source_of(report, options.files.front());
  if (!options.tune_nccl_tuner.empty() || !options.tune_nccl_csv.empty()) {
    tune_nccl(options, report, source);
  }
  return options.tune_openmpi.empty() ? 0 : tune_openmpi(options, report, source);
}

}  // namespace arb
