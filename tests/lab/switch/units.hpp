// Strict readers of the values of lab-switch. A value is understood whole or refused with
// Error{kUsage}, which names the option, the value and how to write it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace arb::lab {

using Nanoseconds = std::int64_t;

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

[[noreturn]] void refuse(std::string_view option, std::string_view value, const std::string& why);

/// "5ms", "100us", "0.2s", "250ns" or "0"; at most 100 s.
Nanoseconds read_time(std::string_view option, std::string_view value);

/// "20MB/s" (1e6 bytes/s), "1.5GB/s", "500kB/s", "1000B/s", or "unlimited" (kUnlimited); above 0.
double read_rate(std::string_view option, std::string_view value);

/// A plain decimal whole number within [min, max].
int read_int(std::string_view option, std::string_view value, int min, int max);

}  // namespace arb::lab
