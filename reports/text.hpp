// Text that comes from outside (host names, reasons, commands) made safe to write, and laid out in
// columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace arb {

/// Every byte that is not part of valid UTF-8 becomes U+FFFD.
std::string valid_utf8(std::string_view text);

/// valid_utf8() with control characters (escape sequences, line ends) as blanks: fit for one line
/// of a terminal.
std::string printable(std::string_view text);

/// Columns on a terminal, counted as code points.
size_t columns(std::string_view text);

/// Padded with blanks to `width` columns; longer texts are left whole.
std::string left(std::string_view text, size_t width);
std::string right(std::string_view text, size_t width);

/// Broken at blanks into lines of at most `width` columns, for a text that begins at column
/// `start`; later lines begin with `indent` blanks. No final line end.
std::string wrapped(std::string_view text, size_t width, size_t indent, size_t start = 0);

/// A printable text of its own, 100 columns wide and indented; ends with a line end.
std::string paragraph(std::string_view text, size_t indent = 0);

/// Without blanks at the end.
std::string trimmed(std::string text);

/// "1 rank", "4 ranks".
std::string counted(long long count, std::string_view noun);

}  // namespace arb
