// How many straight pieces the data justify, and where they break.
#pragma once

#include <span>
#include <vector>

#include "reports/model/placements.hpp"

namespace arb {

// The simplest model that no richer one refutes. Ascending sizes, at least three of them, all times
// positive.
std::vector<Piece> find_pieces(std::span<const Observation> observations);

}  // namespace arb
