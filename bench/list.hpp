// The `list` verb: everything a user can name.
#pragma once

#include <span>
#include <string>

#include "bench/known_algorithms.hpp"

namespace arb {

std::string list_text(std::span<const NamedAlgorithm> known);

}  // namespace arb
