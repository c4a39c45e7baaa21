#pragma once

#include <string>
#include <string_view>

#include "reports/record.hpp"

namespace arb {

/// A table of GitHub's Markdown, one row per record; the fastest of each size is bold.
std::string write_markdown(const Report& report);

/// On one line, with what Markdown or HTML would take as markup escaped.
std::string markdown_text(std::string_view text);

}  // namespace arb
