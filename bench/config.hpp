// Options of `run` from a file: a JSON object whose keys are their long names without dashes
// (configs/schema/sweep.schema.json), or a report, whose configuration is then repeated.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/known_algorithms.hpp"
#include "bench/option_table.hpp"

namespace arb {

/// Name without dashes and value as on the command line; of a flag "true" or "false".
using ConfigOptions = std::vector<std::pair<std::string, std::string>>;

/// In the order of the names. `source` names the file in messages: "--config FILE". Throws
/// Error{kUsage} for what is not a configuration; whether the values are right is told later.
ConfigOptions parse_config(std::string_view text, const std::string& source);
ConfigOptions read_config(const std::string& path);

/// Applies each by its row of option_table(); messages begin with "SOURCE: NAME". Throws
/// Error{kUsage} for unknown names (with the nearest and the valid ones), for options that belong
/// to one run (outputs, faults), and for bad values.
void apply_config(Draft& draft, const ConfigOptions& options, const std::string& source);

/// As a command line that has only these options.
Options options_from(const ConfigOptions& options, const std::string& source,
                     std::span<const NamedAlgorithm> known);

/// What is left of a file beside a command line: without the options that are `given` there, by any
/// of their names ("-n"), and without those that would contradict them.
ConfigOptions without_overridden(const ConfigOptions& options, std::span<const Argument> given);

/// All names that a configuration may have.
std::vector<std::string> config_names();

/// What settled options and the platform came to.
struct Effective {
  std::string backend;
  std::vector<std::string> algorithms;
  std::vector<int> ranks;
};
/// All that decides what is measured and how, in words that options_from() reads back.
std::map<std::string, std::string> config_of(const Options& options, const Effective& effective);

}  // namespace arb
