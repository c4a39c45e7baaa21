// The second half of reading options: what can only be judged when all of them are known.
#pragma once

#include <span>

#include "bench/known_algorithms.hpp"
#include "bench/option_table.hpp"

namespace arb {

/// Throws Error{kUsage} for options that contradict each other or name what is not there,
/// Error{kEnvironment} for a backend this build lacks.
Options settle(Draft draft, std::span<const NamedAlgorithm> known);

}  // namespace arb
