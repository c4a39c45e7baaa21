// Handles of libraries as text, which is what processes say to each other.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace arb {

inline std::string to_hex(std::span<const char> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return text;
}

/// Bytes for which there is no text stay as they are.
inline void from_hex(const std::string& text, std::span<char> bytes) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (size_t i = 0; i < bytes.size() && 2 * i + 1 < text.size(); ++i) {
    bytes[i] = static_cast<char>(digit(text[2 * i]) * 16 + digit(text[2 * i + 1]));
  }
}

}  // namespace arb
