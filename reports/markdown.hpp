#pragma once

#include <string>

#include "reports/record.hpp"

namespace arb {

/// A table of GitHub's Markdown, one row per record; the fastest of each size is bold.
std::string write_markdown(const Report& report);

}  // namespace arb
