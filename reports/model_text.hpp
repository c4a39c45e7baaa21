// How one segment of a fit reads, in the table and in the summary.
#pragma once

#include <string>

#include "reports/record.hpp"

namespace arb {

/// "alpha 310 ns [301, 322]", or "intercept 3.10 us [...]" where the steps are not known (native
/// algorithms).
std::string latency_text(const Fit& fit, const Segment& segment);

/// "beta 8.40 GB/s [8.10, 8.70]", or "1/slope ..." where the traffic is not known.
std::string bandwidth_text(const Fit& fit, const Segment& segment);

/// "8 B .. 64 KiB"
std::string size_range(int64_t min_bytes, int64_t max_bytes);

}  // namespace arb
