// Least trimmed squares: the line through most of the observations, whatever the others are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reports/model/line.hpp"

namespace arb {

// Entry k: the best line found when k observations may be left out, with the sum of squares of
// those kept. Entries 0..max_left_out; the observations are in ascending size and have at least two
// sizes.
std::vector<LineFit> fit_trimmed(std::span<const Observation> observations, int max_left_out);

// Which observations the line keeps when it leaves out the `left_out` farthest from it; ascending.
std::vector<Observation> kept_by(const Line& line, std::span<const Observation> observations,
                                 int left_out);

}  // namespace arb
