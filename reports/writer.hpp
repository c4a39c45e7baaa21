// The table of report writers: each is a function from a report to text. A new one is its file, one
// row, one CMake line.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/record.hpp"

namespace arb {

struct Writer {
  std::string_view name;     // --format
  std::string_view ending;   // of the files it writes (".json"); empty: for the terminal only
  std::string_view summary;  // one line for --help
  std::string (*write)(const Report& report);
};

std::span<const Writer> writers();

/// nullptr if there is none.
const Writer* writer_named(std::string_view name);
const Writer* writer_for_file(std::string_view path);  // by the path's ending, in any case

}  // namespace arb
