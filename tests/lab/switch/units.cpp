#include "tests/lab/switch/units.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "collectives/error.hpp"

namespace arb::lab {

namespace {

/// The number at the start of `value`, which begins with a digit; the rest is left in `value`.
double take_number(std::string_view option, std::string_view& value, const std::string& how) {
  const std::string_view whole = value;
  double number = 0;
  const char* end = value.data() + value.size();
  if (value.empty() || value.front() < '0' || value.front() > '9') refuse(option, whole, how);
  const auto [rest, error] = std::from_chars(value.data(), end, number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number)) refuse(option, whole, how);
  value = {rest, static_cast<size_t>(end - rest)};
  return number;
}

}  // namespace

void refuse(std::string_view option, std::string_view value, const std::string& why) {
  throw Error(ErrorKind::kUsage, fmt::format("{} '{}': {}", option, value, why));
}

Nanoseconds read_time(std::string_view option, std::string_view value) {
  static constexpr double kLongest = 100e9;
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  std::string_view rest = value;
  const double number = take_number(option, rest, "not a time; write it like 5ms, 100us or 0");
  if (rest.empty() && number == 0) return 0;
  for (const auto& [unit, scale] : kUnits) {
    if (rest != unit) continue;
    if (number * scale > kLongest) refuse(option, value, "too long; at most 100s");
    return std::llround(number * scale);
  }
  refuse(option, value, "unknown unit; write it like 5ms, 100us or 0.2s");
}

double read_rate(std::string_view option, std::string_view value) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}};
  if (value == "unlimited") return kUnlimited;
  std::string_view rest = value;
  const double number = take_number(option, rest, "not a rate; write it like 20MB/s or unlimited");
  for (const auto& [unit, scale] : kUnits) {
    if (rest != unit) continue;
    if (number * scale < 1) refuse(option, value, "too slow; at least 1B/s");
    return number * scale;
  }
  refuse(option, value, "unknown unit; write it like 20MB/s, 500kB/s or unlimited");
}

int read_int(std::string_view option, std::string_view value, int min, int max) {
  int number = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  if (value.empty() || error != std::errc() || rest != end || number < min || number > max) {
    refuse(option, value, fmt::format("give a whole number from {} to {}", min, max));
  }
  return number;
}

}  // namespace arb::lab
