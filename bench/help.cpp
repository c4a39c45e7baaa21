#include "bench/help.hpp"

#include <fmt/format.h>

#include <utility>

#include "bench/option_table.hpp"

namespace arb {

const std::vector<VerbRow>& verb_table() {
  static const std::vector<VerbRow> kVerbs = {
      {Verb::kRun, "run", kForRun, "Run a sweep, time it and check every result (default)"},
      {Verb::kCompare, "compare", kForCompare, "Judge a report by an older one: slower or not",
       "BASE.json NEW.json [MORE_NEW.json ...]"},
      {Verb::kAccept, "accept", kForAccept, "Accept a machine or cluster, or name what is bad"},
      {Verb::kProve, "prove", kForProve, "Prove the schedules: right, no deadlock, no race"},
      {Verb::kTune, "tune", kForTune, "Files that make Open MPI and NCCL use what was fastest",
       "REPORT.json"},
      {Verb::kList, "list", 0, "Algorithms, types, operations, formats, backends"},
      {Verb::kDoctor, "doctor", 0, "What this machine offers, its limits, and advice"},
  };
  return kVerbs;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const VerbRow& row : verb_table()) names.emplace_back(row.name);
  return names;
}

HelpFormatter::HelpFormatter(const VerbRow& verb) : verb_(verb) { column_width(28); }

std::string HelpFormatter::make_usage(const CLI::App*, std::string) const {
  if (verb_.verb != Verb::kRun) {
    return fmt::format("Usage: {} {}{}{}\n\n", kProgram, verb_.name,
                       verb_.files != nullptr ? " " + std::string(verb_.files) : "",
                       verb_.options != 0 ? " [options]" : "");
  }
  std::string text = fmt::format("Usage: {} [verb] [options]\n\nVerbs:\n", kProgram);
  for (const VerbRow& row : verb_table())
    text += fmt::format("  {:<26}{}\n", row.name, row.summary);
  return text + "\n";
}

std::string HelpFormatter::make_group(std::string group, bool positional,
                                      std::vector<const CLI::Option*> options) const {
  // CLI11 puts a blank line both before and after a group.
  return CLI::Formatter::make_group(std::move(group), positional, std::move(options)).substr(1);
}

std::string HelpFormatter::make_option_name(const CLI::Option* option, bool) const {
  const auto& shorts = option->get_snames();
  const auto& longs = option->get_lnames();
  return (shorts.empty() ? "   " : "-" + shorts.front() + ",") + "--" + longs.front();
}

}  // namespace arb
