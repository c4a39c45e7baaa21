#include "bench/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "collectives/error.hpp"
#include "reports/suggest.hpp"

namespace arb {

namespace {

/// A plain decimal number (no sign, exponent, hex, nan, inf) at the start of text; the rest is
/// returned.
std::string_view read_decimal(const Argument& argument, double& number) {
  const std::string_view text = argument.value;
  if (text.empty()) reject(argument, "empty; a number is needed");
  const char* end = text.data() + text.size();
  if (text.front() < '0' || text.front() > '9') reject(argument, "not a positive decimal number");
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number)) {
    reject(argument, "not a positive decimal number");
  }
  return {rest, static_cast<size_t>(end - rest)};
}

template <typename Number>
Number read_whole(const Argument& argument, Number min, Number max) {
  const std::string& text = argument.value;
  if (text.empty()) reject(argument, fmt::format("empty; give a whole number from {} on", min));
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (rest != end || error == std::errc::invalid_argument) {
    reject(argument, fmt::format("not a whole number; give one from {} on", min));
  }
  if (error != std::errc() || number < min || number > max) {
    reject(argument, fmt::format("out of range; it must be from {} to {}", min, max));
  }
  return number;
}

}  // namespace

void reject(const Argument& argument, const std::string& why) {
  throw Error(ErrorKind::kUsage, fmt::format("{} '{}': {}", argument.option, argument.value, why));
}

int64_t read_integer(const Argument& argument, int64_t min, int64_t max) {
  return read_whole<int64_t>(argument, min, max);
}

int read_int(const Argument& argument, int min, int max) {
  return read_whole<int>(argument, min, max);
}

uint64_t read_seed(const Argument& argument) {
  return read_whole<uint64_t>(argument, 0, std::numeric_limits<uint64_t>::max());
}

double read_share(const Argument& argument) {
  double share = 0;
  const std::string_view rest = read_decimal(argument, share);
  if (!rest.empty() && rest != "%") reject(argument, "not a share; write 2% or 0.02");
  if (rest == "%") share /= 100;
  if (share <= 0 || share >= 1) {
    reject(argument, "out of range; write a share above 0% and below 100%, like 2% or 0.02");
  }
  return share;
}

double read_seconds(const Argument& argument) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}};
  double seconds = 0;
  const std::string_view rest = read_decimal(argument, seconds);
  const auto* unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                  [&](auto& row) { return row.first == rest; });
  if (unit == std::end(kUnits)) {
    reject(argument, fmt::format("unknown unit '{}'; write it like 500ms, 0.5s or 2min", rest));
  }
  seconds *= unit->second;
  if (seconds <= 0) reject(argument, "must be above 0; write it like 500ms, 0.5s or 2min");
  if (seconds > 1e8) reject(argument, "too large; at most 1e8 seconds (three years)");
  return seconds;
}

std::vector<Argument> read_list(const Argument& argument) {
  std::vector<Argument> items;
  size_t begin = 0;
  while (true) {
    const size_t comma = argument.value.find(',', begin);
    const size_t length = comma == std::string::npos ? comma : comma - begin;
    items.push_back({argument.option, argument.value.substr(begin, length)});
    if (items.back().value.empty()) {
      reject(argument, "an empty item; write items apart by single commas, without spaces");
    }
    if (comma == std::string::npos) return items;
    begin = comma + 1;
  }
}

std::string plain_decimal(double value) {
  std::array<char, 1200> text{};  // the smallest double has 1074 digits behind the point
  char* const end = text.data() + text.size();
  return {text.data(), std::to_chars(text.data(), end, value, std::chars_format::fixed).ptr};
}

void reject_choice(const Argument& argument, std::string_view what,
                   std::span<const std::string> choices) {
  const std::string guess = did_you_mean(argument.value, choices);
  reject(argument, fmt::format("unknown {}{}{} Valid: {}", what, guess, guess.empty() ? "." : "",
                               fmt::join(choices, ", ")));
}

std::string read_choice(const Argument& argument, std::string_view what,
                        std::span<const std::string> choices) {
  if (std::find(choices.begin(), choices.end(), argument.value) == choices.end()) {
    reject_choice(argument, what, choices);
  }
  return argument.value;
}

}  // namespace arb
