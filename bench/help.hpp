// The verbs of the command line, and how help is laid out.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

#include "bench/options.hpp"

namespace arb {

inline constexpr const char* kProgram = "allreduce-bench";

struct VerbRow {
  Verb verb;
  const char* name;
  unsigned options;             // mask of the options it has: kForRun, kForProve, ...
  const char* summary;          // a sentence without its full stop
  const char* files = nullptr;  // what follows the verb: "REPORT.json"; nullptr: only options
};

/// The first is what runs when no verb is given.
const std::vector<VerbRow>& verb_table();
std::vector<std::string> verb_names();

/// Shows the short and the first long name of an option; the others are habits of other programs.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(const VerbRow& verb);
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_group(std::string group, bool positional,
                         std::vector<const CLI::Option*> options) const override;
  std::string make_option_name(const CLI::Option* option, bool positional) const override;

 private:
  const VerbRow& verb_;
};

}  // namespace arb
