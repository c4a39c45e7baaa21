#include "reports/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace arb {
namespace {

struct Unit {
  std::string_view name;
  double size;
};

constexpr std::array kTimeUnits = {Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"ms", 1e-3},
                                   Unit{"s", 1.0}};
constexpr std::array kSizeUnits = {Unit{"B", 1.0}, Unit{"KiB", 1024.0}, Unit{"MiB", 1048576.0},
                                   Unit{"GiB", 1073741824.0}, Unit{"TiB", 1099511627776.0}};

/// The largest unit in which `value` is at least 1, after rounding to three digits: 999.6 ns
/// is 1.00 us.
Unit unit_for(double value, std::span<const Unit> units) {
  Unit best = units.front();
  for (const Unit& unit : units) {
    if (std::abs(value) >= unit.size * 0.9995) best = unit;
  }
  return best;
}

std::string in_unit(double value, const Unit& unit, const std::optional<Interval>& interval) {
  if (!std::isfinite(value)) return "-";
  std::string text = fmt::format("{} {}", significant(value / unit.size), unit.name);
  if (interval) {
    text += fmt::format(" [{}, {}]", significant(interval->first / unit.size),
                        significant(interval->second / unit.size));
  }
  return text;
}

}  // namespace

std::string significant(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  const double magnitude = std::abs(value);
  if (magnitude < 0.9995e-4 || magnitude >= 999999.5) return fmt::format("{:.2e}", value);
  if (magnitude >= 999.5) return fmt::format("{:.0f}", value);
  int decimals = 2;
  double bound = 9.995;
  while (magnitude >= bound) {
    --decimals;
    bound *= 10;
  }
  bound = 0.9995;
  while (magnitude < bound) {
    ++decimals;
    bound /= 10;
  }
  return fmt::format("{:.{}f}", value, decimals);
}

std::string exact_size(int64_t bytes) {
  for (size_t i = kSizeUnits.size() - 1; i > 0; --i) {
    const auto unit = static_cast<int64_t>(kSizeUnits[i].size);
    // At most three decimals: 1000 x bytes is a multiple of the unit (written so that it cannot
    // overflow).
    if (bytes < unit || (bytes % unit) * 125 % (unit / 8) != 0) continue;
    std::string text = fmt::format("{}", bytes / unit);
    if (const int64_t thousandths = (bytes % unit) * 125 / (unit / 8); thousandths != 0) {
      text += fmt::format(".{:03}", thousandths);
      text.erase(text.find_last_not_of('0') + 1);
    }
    return fmt::format("{} {}", text, kSizeUnits[i].name);
  }
  return fmt::format("{} B", bytes);
}

std::string about_size(double bytes, const std::optional<Interval>& interval) {
  return in_unit(bytes, unit_for(bytes, kSizeUnits), interval);
}

std::string about_time(double seconds, const std::optional<Interval>& interval) {
  return in_unit(seconds, unit_for(seconds, kTimeUnits), interval);
}

std::string about_bandwidth(double bytes_per_second, const std::optional<Interval>& interval) {
  return in_unit(bytes_per_second, Unit{"GB/s", 1e9}, interval);
}

std::string percent(double share) {
  if (!std::isfinite(share)) return "-";
  const double value = share * 100;
  const double magnitude = std::abs(value);
  if (magnitude == 0 || magnitude >= 9.95) return fmt::format("{:.0f} %", value);
  return fmt::format("{:.{}f} %", value, magnitude >= 0.995 ? 1 : 2);
}

std::string shortest(double value) {
  if (value == 0) return std::signbit(value) ? "-0.0" : "0";  // "-0" would read back as an integer
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

}  // namespace arb
