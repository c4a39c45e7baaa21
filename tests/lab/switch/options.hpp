// The command line of lab-switch.
#pragma once

#include <span>
#include <string>

#include "tests/lab/switch/fabric.hpp"

namespace arb::lab {

struct Options {
  Law law;
  int mtu = 9000;
  bool until_eof = false;  // also ends when standard input does
  bool cleanup = false;    // only removes what crashed instances left
  bool help = false;
};

extern const char* const kUsage;

/// Options take their value as `--alpha 5ms` or `--alpha=5ms`. Throws Error{kUsage}.
Options read_options(std::span<const std::string> arguments);

}  // namespace arb::lab
