// How long a cache line takes from core to core: the state of the machine (clock, neighbours,
// placement), whatever the algorithm.
#pragma once

#include <optional>

#include "collectives/runners/crew.hpp"

namespace arb {

/// Seconds from one worker to the next: a token goes round all of them, each of which waits on a
/// line of its own. Median over short batches, about a millisecond in all. nullopt for one worker.
/// Workers of one process only. Throws as Crew::on_all().
std::optional<double> measure_handoff(Crew& crew);

}  // namespace arb
