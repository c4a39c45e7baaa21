// The command line: argv -> Options, or a text to print. Strict: what is not understood is refused.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/known_algorithms.hpp"
#include "bench/options.hpp"

namespace arb {

struct CommandLine {
  Options options;
  std::vector<std::string> from_file;  // "sizes=8B": what was taken from --config
  std::optional<std::string>
      text;  // --help, --version: print it on stdout and exit 0; options are void
};

/// `arguments` without the program's name; `known` are the algorithms that may be named.
/// Throws Error{kUsage} for a bad command line, Error{kEnvironment} for a backend this build lacks.
CommandLine parse_command_line(const std::vector<std::string>& arguments,
                               std::span<const NamedAlgorithm> known);
CommandLine parse_command_line(int argc, const char* const* argv,
                               std::span<const NamedAlgorithm> known);

}  // namespace arb
