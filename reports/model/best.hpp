// Which algorithm to take at which size.
#pragma once

#include <vector>

#include "reports/model/crossover.hpp"

namespace arb {

// The smallest median at each measured size, equal neighbours merged; min_bytes and max_bytes are
// measured sizes. A range is resolved if at one of its sizes at least the interval of the winner is
// below those of all others (always so without others). A range that is not resolved is merged into
// its two neighbours if these agree on another algorithm that is nowhere told apart from the winner
// there: noise makes no ranges. Ascending; names of the group left empty.
std::vector<Best> best_ranges(const std::vector<Contender>& contenders);

}  // namespace arb
