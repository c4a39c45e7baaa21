#include "bench/sizes.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <string_view>

#include "reports/size_text.hpp"

namespace arb {

namespace {

constexpr std::string_view kUnits = "BKMGT";

}  // namespace

uint64_t read_size(const Argument& argument) {
  try {
    return static_cast<uint64_t>(parse_size(argument.value));
  } catch (const std::invalid_argument& error) {
    reject(argument, error.what());
  }
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
