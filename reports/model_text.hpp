// How a fit and its segments read, in the table and in the summary.
#pragma once

#include <string>

#include "reports/record.hpp"

namespace arb {

/// Of the first segment: "alpha 310 ns [301, 322]", or "intercept 3.10 us [...]" where the steps
/// are not known (native algorithms).
std::string latency_text(const Fit& fit);

/// "beta 8.40 GB/s [8.10, 8.70]", or "1/slope ..." where the traffic is not known; "beta not
/// resolved (flat)" where the size hardly matters and the slope may be 0.
std::string bandwidth_text(const Fit& fit, const Segment& segment);

/// In plain words: what a small message takes up to where, and how fast large ones go.
std::string fit_sentence(const Fit& fit);

/// "8 B .. 64 KiB"
std::string size_range(int64_t min_bytes, int64_t max_bytes);

}  // namespace arb
