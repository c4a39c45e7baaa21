#include "reports/size_text.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <string>

namespace arb {
namespace {

constexpr std::string_view kUnits = "BKMGT";
constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();  // what records can hold
constexpr const char* kForm = "write it like 8B, 4K, 1.5M or 4GB";

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

[[noreturn]] void too_large() { refuse("too large; sizes go up to 8.0 EiB"); }

struct Split {
  std::string_view whole, fraction, unit;
};

Split split(std::string_view text) {
  const auto digits = [&](size_t from) {
    size_t end = from;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    return text.substr(from, end - from);
  };
  Split parts;
  parts.whole = digits(0);
  if (parts.whole.empty()) refuse(fmt::format("not a size; {}", kForm));
  if (parts.whole.size() > 1 && parts.whole[0] == '0') {
    refuse("a size does not start with 0 (1,000 with a comma is a list of two)");
  }
  size_t next = parts.whole.size();
  if (next < text.size() && text[next] == '.') {
    parts.fraction = digits(next + 1);
    if (parts.fraction.empty()) refuse(fmt::format("no digit behind the point; {}", kForm));
    next += 1 + parts.fraction.size();
  }
  parts.unit = text.substr(next);
  return parts;
}

/// log2 of the unit: "", "B", "K", "KB", "KiB", ...
unsigned shift_of(std::string_view unit) {
  std::string upper(unit);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (size_t i = 0; i < kUnits.size(); ++i) {
    const std::string letter(1, kUnits[i]);
    if (upper == letter || (i > 0 && (upper == letter + "B" || upper == letter + "IB"))) {
      return static_cast<unsigned>(10 * i);
    }
  }
  if (upper.empty()) return 0;
  refuse(fmt::format("unknown unit '{}'; {}", unit, kForm));
}

/// Of `fraction`/10^digits units of 2^shift bytes, the whole bytes.
uint64_t fraction_bytes(std::string_view fraction, unsigned shift) {
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  if (fraction.empty()) return 0;
  if (shift == 0) refuse("not a whole number of bytes");
  if (fraction.size() > 6) refuse("at most 6 digits may follow the point");
  uint64_t digits = 0;
  uint64_t scale = 1;
  for (const char c : fraction) {
    digits = digits * 10 + static_cast<uint64_t>(c - '0');
    scale *= 10;
  }
  return (digits << shift) / scale;  // below 10^6 * 2^40, so it fits
}

}  // namespace

int64_t parse_size(std::string_view text) {
  if (text.empty()) refuse(fmt::format("empty; {}", kForm));
  const Split parts = split(text);
  const unsigned shift = shift_of(parts.unit);
  uint64_t whole = 0;
  const char* end = parts.whole.data() + parts.whole.size();
  const auto parsed = std::from_chars(parts.whole.data(), end, whole);
  if (parsed.ec != std::errc() || whole > (kLargest >> shift)) too_large();
  const uint64_t fraction = fraction_bytes(parts.fraction, shift);
  const uint64_t bytes = whole << shift;
  if (fraction > kLargest - bytes) too_large();
  return static_cast<int64_t>(bytes + fraction);
}

}  // namespace arb
