#include "bench/option_table.hpp"
#include "bench/sizes.hpp"

namespace arb {

namespace {

constexpr unsigned kForBoth = kForRun | kForCompare;
constexpr unsigned kForAll = kForRun | kForCompare | kForAccept;
constexpr const char* kWhat = "Judging (compare, --against, --ab)";
constexpr const char* kFiles = "Verdicts";
constexpr int64_t kMostStarts = 1000;

/// "5%", or "64K:20%,1M:10%,5%": up to 64 KiB, up to 1 MiB, above.
std::vector<DropClass> read_drops(const Argument& a) {
  std::vector<DropClass> drops;
  for (const Argument& item : read_list(a)) {
    if (!drops.empty() && !drops.back().max_bytes) {
      reject(a, "only the last share has no size: it is for all that is larger");
    }
    const size_t colon = item.value.find(':');
    DropClass drop;
    if (colon != std::string::npos) {
      drop.max_bytes = static_cast<int64_t>(read_size({a.option, item.value.substr(0, colon)}));
      const bool ascending = drops.empty() || *drops.back().max_bytes < *drop.max_bytes;
      if (!ascending) reject(a, "sizes must ascend, like 64K:20%,1M:10%,5%");
    }
    drop.drop =
        read_share({a.option, item.value.substr(colon == std::string::npos ? 0 : colon + 1)});
    drops.push_back(drop);
  }
  if (drops.back().max_bytes) {
    reject(a, "the last share must have no size, for all that is larger: like 64K:20%,5%");
  }
  return drops;
}

void set_baseline(Draft& draft, const Argument& a) {
  if (a.value.empty()) reject(a, "empty; give the report of a start of the old build");
  draft.options.gate.baselines.push_back(a.value);
}

void set_against(Draft& draft, const Argument& a) {
  set_baseline(draft, a);
  if (!draft.against) draft.against = a;
}

void set_ab(Draft& draft, const Argument& a) {
  if (a.value.empty()) reject(a, "empty; give the program to compare with");
  draft.options.gate.other_program = a.value;
  draft.ab = a;
}

/// The value of an option that only has a sense where something is judged.
GateOptions& judging(Draft& draft, const Argument& a) {
  draft.judging.push_back(a);
  return draft.options.gate;
}

void set_file(Draft& draft, const Argument& a, std::string GateOptions::*file) {
  if (a.value.empty()) reject(a, "empty; give a file name");
  judging(draft, a).*file = a.value;
  draft.gate_files.push_back(a);
}

void set_format(Draft& draft, const Argument& a) {
  std::vector<std::string> names;
  for (const GateWriter& writer : gate_writers()) names.emplace_back(writer.name);
  draft.options.gate.format = read_choice(a, "format", names);
}

const OptionRow kTable[] = {
    {"--baseline", "FILE", kWhat, "report of a further start of the old build; may be repeated",
     kForCompare, set_baseline, true},
    {"--against", "FILE", kWhat, "measure, and judge by this report; may be repeated (more starts)",
     kForRun, set_against, true},
    {"--ab", "PROGRAM", kWhat, "measure this program and PROGRAM (another build) in turns", kForRun,
     set_ab},
    {"--new-program", "FILE", "", "what is judged (default: this program)", kForRun,
     [](Draft& d, const Argument& a) { judging(d, a).new_program = a.value; }},
    {"--launcher", "CMD", kWhat, "what starts every measurement, like \"mpirun -np 4\"", kForRun,
     [](Draft& d, const Argument& a) {
       if (a.value.empty()) reject(a, "empty; write it like \"mpirun -np 4\"");
       judging(d, a).launcher = a.value;
     }},
    {"--starts", "N", kWhat, "starts to judge by (default 6; --ab: 16 pairs)", kForRun,
     [](Draft& d, const Argument& a) { judging(d, a).starts = read_integer(a, 1, kMostStarts); }},
    {"--max-drop", "DROP", kWhat,
     "allowed loss of bandwidth (default 5%); by size: 64K:20%,1M:10%,5%", kForBoth,
     [](Draft& d, const Argument& a) { judging(d, a).rules.max_drop = read_drops(a); }},
    {"--level", "P", kWhat, "chance of any false alarm in all of it (default 1%)", kForBoth,
     [](Draft& d, const Argument& a) { judging(d, a).rules.level = read_share(a); }},
    {"--min-bytes", "SIZE", kWhat, "do not judge smaller messages", kForBoth,
     [](Draft& d, const Argument& a) {
       judging(d, a).rules.min_bytes = static_cast<int64_t>(read_size(a));
     }},
    {"--only", "A,B", kWhat, "judge only these algorithms", kForBoth,
     [](Draft& d, const Argument& a) {
       for (const Argument& item : read_list(a)) judging(d, a).rules.only.push_back(item.value);
     }},
    {"--allow-missing", nullptr, kWhat, "what the new report lacks does not fail", kForBoth,
     [](Draft& d, const Argument& a) { judging(d, a).rules.allow_missing = true; }},
    {"--allow-other-machine", nullptr, kWhat, "warn only if the reports are of two machines",
     kForBoth, [](Draft& d, const Argument& a) { judging(d, a).rules.allow_other_machine = true; }},

    {"--format", "FORMAT", kFiles, "on stdout: table (default), json, junit, markdown",
     kForCompare | kForAccept, set_format},
    {"--fail-unsure", nullptr, kFiles, "what cannot be told fails (default: it passes)", kForAll,
     [](Draft& d, const Argument& a) { judging(d, a).rules.unsure_fails = true; }},
    {"--verdicts", "FILE", kFiles, "also write them as JSON", kForAll,
     [](Draft& d, const Argument& a) { set_file(d, a, &GateOptions::verdicts); }},
    {"--junit", "FILE", kFiles, "also write them as JUnit XML, for CI systems", kForAll,
     [](Draft& d, const Argument& a) { set_file(d, a, &GateOptions::junit); }},
    {"--summary", "FILE", kFiles, "also append them as Markdown, like to $GITHUB_STEP_SUMMARY",
     kForAll, [](Draft& d, const Argument& a) { set_file(d, a, &GateOptions::summary); }},
};

}  // namespace

std::span<const OptionRow> compare_options() { return kTable; }

}  // namespace arb
