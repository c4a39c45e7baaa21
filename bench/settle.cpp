#include "bench/settle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "bench/build_info.hpp"
#include "bench/output_file.hpp"
#include "collectives/error.hpp"

namespace arb {

namespace {

constexpr int kMostRanks = 4096;

[[noreturn]] void clash(const Argument& first, const std::string& why) {
  throw Error(ErrorKind::kUsage, first.option + ": " + why);
}

void settle_algorithms(Draft& draft, std::span<const NamedAlgorithm> known) {
  if (!draft.algorithms || draft.algorithms->value == "all") return;
  const std::string collective(name(draft.options.collective));
  const auto names = algorithm_names(known, draft.options.collective);
  auto& chosen = draft.options.algorithms;
  for (const Argument& item : read_list(*draft.algorithms)) {
    if (std::find(names.begin(), names.end(), item.value) == names.end()) {
      reject_choice(item, "algorithm of " + collective, names);
    }
    if (std::find(chosen.begin(), chosen.end(), item.value) == chosen.end()) {
      chosen.push_back(item.value);
    }
  }
}

void settle_ranks(Draft& draft) {
  if (!draft.ranks) return;
  std::set<int> ranks;
  for (const Argument& item : read_list(*draft.ranks)) ranks.insert(read_int(item, 1, kMostRanks));
  if (draft.root && draft.options.root >= *ranks.begin()) {
    reject(*draft.root, fmt::format("there is no such rank among {}; roots go from 0 to {}",
                                    *ranks.begin(), *ranks.begin() - 1));
  }
  draft.options.ranks.assign(ranks.begin(), ranks.end());
}

void settle_places(const Draft& draft) {
  if (draft.places.size() < 2) return;
  clash(draft.places[0],
        fmt::format("{} was given too; give one, or --place both", draft.places[1].option));
}

void settle_checks(Draft& draft) {
  if (draft.no_check) {
    if (draft.check) clash(*draft.no_check, draft.check->option + " was given too; drop one");
    draft.options.checks = 0;
  }
  if (draft.options.checks == 0) draft.options.checked_share = 0;
}

void settle_op(const Draft& draft) {
  const Options& options = draft.options;
  if (!reduces(options.collective)) return;
  const auto why = unsupported(options.dtype, options.op);
  if (!why) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("--op {} with --dtype {}: {}; choose another operation or element type",
                          name(options.op), name(options.dtype), *why));
}

std::filesystem::path real_path(const Argument& file) {
  std::error_code error;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(file.value), error);
}

void settle_outputs(Draft& draft) {
  std::set<std::filesystem::path> seen;
  for (const Argument& output : draft.outputs) {
    if (!seen.insert(real_path(output)).second) {
      reject(output, "given twice; each report needs its own file");
    }
    draft.options.outputs.push_back(output.value);
  }
  for (const Argument& file : draft.gate_files) {
    if (!seen.insert(real_path(file)).second) reject(file, "given twice; each needs its own file");
  }
  for (const auto* read : {&draft.options.files, &draft.options.gate.baselines}) {
    for (const std::string& file : *read) {
      const Argument* written = nullptr;
      for (const Argument& each : draft.gate_files) {
        if (real_path(each) == real_path({"", file})) written = &each;
      }
      if (written != nullptr) reject(*written, "is read as a report too; choose another name");
    }
  }
  const bool json = std::any_of(draft.outputs.begin(), draft.outputs.end(),
                                [](const Argument& a) { return output_writer(a).name == "json"; });
  if (draft.raw && draft.options.format != "json" && !json) {
    clash(*draft.raw, "samples are kept in JSON only; add --output FILE.json or --format json");
  }
}

/// What a sweep is judged by.
void settle_gate(Draft& draft) {
  if (draft.options.verb != Verb::kRun) return;
  if (draft.against && draft.ab) {
    clash(*draft.against, "--ab was given too; judge by a report or by another build, drop one");
  }
  if (!draft.judging.empty() && !draft.against && !draft.ab) {
    clash(draft.judging.front(), "judges, so it needs --against REPORT.json or --ab PROGRAM");
  }
  if (!draft.against && !draft.ab) return;
  const std::string& format = draft.options.format;
  if (gate_writer_named(format) == nullptr) {
    clash(
        {"--format", format},
        fmt::format("verdicts are not written as {}; use table, json or markdown, or --junit FILE",
                    format));
  }
  draft.options.gate.format = format;
}

/// Who says anything about GPUs wants them.
void settle_backend(Draft& draft) {
  Options& options = draft.options;
  if (!draft.gpu_options.empty()) {
    if (options.backend != "auto" && options.backend != "cuda") {
      clash(draft.gpu_options.front(),
            fmt::format("the {} backend has no GPUs, only --backend cuda has; drop one of the two",
                        options.backend));
    }
    options.backend = "cuda";
  }
  if (options.backend == "cuda" && draft.path) {
    clash(*draft.path, "the cuda backend has one way between processes; drop it");
  }
  require_backend(options.backend, options.gpus);
}

}  // namespace

Options settle(Draft draft, std::span<const NamedAlgorithm> known) {
  settle_algorithms(draft, known);
  settle_ranks(draft);
  settle_places(draft);
  settle_checks(draft);
  settle_op(draft);
  settle_outputs(draft);
  settle_gate(draft);
  if (draft.precision && draft.options.iterations) {
    clash(*draft.precision, "-n fixes the number of samples already; drop one of the two");
  }
  if (draft.options.verb == Verb::kRun) {
    draft.options.sizes_given = draft.sizes.any();
    draft.options.sizes = read_sizes(draft.sizes);
  }
  settle_backend(draft);
  return std::move(draft.options);
}

}  // namespace arb
