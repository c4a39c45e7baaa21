#include "reports/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace arb {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/// Bytes of the valid UTF-8 sequence at the start of `text`, or 0 (Unicode 15, table 3-7).
size_t sequence_length(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!continues(at(i))) return 0;
  }
  const unsigned char second = at(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second > 0x9F;
  const bool too_large = first == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t length = sequence_length(text);
    valid += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return valid;
}

std::string printable(std::string_view text) {
  std::string valid = valid_utf8(text);
  for (size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    // C1 controls are C2 80 .. C2 9F: some terminals obey them like escape sequences.
    const bool c1 = byte == 0xC2 && static_cast<unsigned char>(valid[i + 1]) < 0xA0;
    if (c1) valid.erase(i, 1);
    if (c1 || byte < 0x20 || byte == 0x7F) valid[i] = ' ';
  }
  return valid;
}

size_t columns(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return !continues(static_cast<unsigned char>(c)); }));
}

std::string left(std::string_view text, size_t width) {
  std::string padded(text);
  return padded.append(width - std::min(width, columns(text)), ' ');
}

std::string right(std::string_view text, size_t width) {
  return std::string(width - std::min(width, columns(text)), ' ').append(text);
}

std::string wrapped(std::string_view text, size_t width, size_t indent, size_t start) {
  std::string out;
  size_t column = start;
  bool fresh = true;  // nothing on this line yet
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) return out;
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    if (fresh) {
      column += columns(word);
    } else if (column + 1 + columns(word) > width) {
      out.append("\n").append(indent, ' ');
      column = indent + columns(word);
    } else {
      out += ' ';
      column += 1 + columns(word);
    }
    fresh = false;
    out += word;
  }
}

std::string paragraph(std::string_view text, size_t indent) {
  constexpr size_t kWidth = 100;
  return std::string(indent, ' ') + wrapped(printable(text), kWidth, indent + 2, indent) + "\n";
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string counted(long long count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace arb
