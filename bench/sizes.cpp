#include "bench/sizes.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <string_view>

namespace arb {

namespace {

constexpr std::string_view kUnits = "BKMGT";

constexpr const char* kForm = "write it like 8B, 4K, 1.5M or 4GB";

struct Split {
  std::string_view whole, fraction, unit;
};

Split split(const Argument& argument) {
  const std::string_view text = argument.value;
  const auto digits = [&](size_t from) {
    size_t end = from;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    return text.substr(from, end - from);
  };
  Split parts;
  parts.whole = digits(0);
  if (parts.whole.empty()) reject(argument, std::string("not a size; ") + kForm);
  if (parts.whole.size() > 1 && parts.whole[0] == '0') {
    reject(argument, "a size does not start with 0 (1,000 with a comma is a list of two)");
  }
  size_t next = parts.whole.size();
  if (next < text.size() && text[next] == '.') {
    parts.fraction = digits(next + 1);
    if (parts.fraction.empty())
      reject(argument, std::string("no digit behind the point; ") + kForm);
    next += 1 + parts.fraction.size();
  }
  parts.unit = text.substr(next);
  return parts;
}

/// log2 of the unit: "", "B", "K", "KB", "KiB", ...
unsigned shift_of(const Argument& argument, std::string_view unit) {
  std::string upper(unit);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (size_t i = 0; i < kUnits.size(); ++i) {
    const std::string letter(1, kUnits[i]);
    if (upper == letter || (i > 0 && (upper == letter + "B" || upper == letter + "IB"))) {
      return static_cast<unsigned>(10 * i);
    }
  }
  if (upper.empty()) return 0;
  reject(argument, fmt::format("unknown unit '{}'; {}", unit, kForm));
}

/// Of `fraction`/10^digits units of 2^shift bytes, the whole bytes.
uint64_t fraction_bytes(const Argument& argument, std::string_view fraction, unsigned shift) {
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  if (fraction.empty()) return 0;
  if (shift == 0) reject(argument, "not a whole number of bytes");
  if (fraction.size() > 6) reject(argument, "at most 6 digits may follow the point");
  uint64_t digits = 0;
  uint64_t scale = 1;
  for (const char c : fraction) {
    digits = digits * 10 + static_cast<uint64_t>(c - '0');
    scale *= 10;
  }
  return (digits << shift) / scale;  // below 10^6 * 2^40, so it fits
}

[[noreturn]] void too_large(const Argument& argument) {
  reject(argument, "too large; sizes go up to " + format_bytes(kLargestSize));
}

}  // namespace

uint64_t read_size(const Argument& argument) {
  if (argument.value.empty()) reject(argument, std::string("empty; ") + kForm);
  const Split parts = split(argument);
  const unsigned shift = shift_of(argument, parts.unit);
  uint64_t whole = 0;
  const char* end = parts.whole.data() + parts.whole.size();
  const auto parsed = std::from_chars(parts.whole.data(), end, whole);
  if (parsed.ec != std::errc() || whole > (kLargestSize >> shift)) too_large(argument);
  const uint64_t fraction = fraction_bytes(argument, parts.fraction, shift);
  const uint64_t bytes = whole << shift;
  if (fraction > kLargestSize - bytes) too_large(argument);
  return bytes + fraction;
}

std::string format_bytes(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  static constexpr std::array<const char*, 6> kNames = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < kNames.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kNames.at(unit));
}

std::string format_size(uint64_t bytes) {
  size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, unit == 0 ? "B" : std::string(1, kUnits[unit]) + "B");
}

}  // namespace arb
