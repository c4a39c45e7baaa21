// Numbers as people read them: three significant digits and a unit. Sizes are 1024-based (KiB),
// bandwidths 1000-based (GB/s).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace arb {

using Interval = std::pair<double, double>;

/// Three significant digits, all digits before the point: 0.00985, 1.23, 12.3, 1234, 1.23e+06; "-"
/// unless finite.
std::string significant(double value);

/// Exact, in the largest unit that needs at most three decimals: "8 B", "64 KiB", "1.5 MiB",
/// "27951912277 B".
std::string exact_size(int64_t bytes);

/// Three significant digits: "61.2 KiB". With an interval, in the same unit: "61.2 KiB
/// [52.1, 70.4]".
std::string about_size(double bytes, const std::optional<Interval>& interval = std::nullopt);

/// Three significant digits: "812 ns", "12.3 us". With an interval, in the same unit: "310 ns [301,
/// 322]".
std::string about_time(double seconds, const std::optional<Interval>& interval = std::nullopt);

/// "8.40 GB/s", "8.40 GB/s [8.10, 8.70]"; an end that is unknown (not finite) is "-".
std::string about_bandwidth(double bytes_per_second,
                            const std::optional<Interval>& interval = std::nullopt);

/// A share as a percentage with two significant digits, or whole from 10 % on: "0.52 %", "1.2 %",
/// "93 %".
std::string percent(double share);

/// The shortest text that reads back as the same number: "0.1", "3e-07", "-0.0". `value` must be
/// finite.
std::string shortest(double value);

}  // namespace arb
