// What the memory of this machine gives to all workers together: the roof that host ranks live
// under.
#pragma once

#include <cstddef>

#include "bench/measure/memory_limits.hpp"
#include "collectives/runners/host/team.hpp"

namespace arb {

/// Median of several passes over arrays of `array_bytes` per worker (several times the last-level
/// cache), written around the caches. Takes a fraction of a second.
MemoryLimits measure_memory_limits(Team& team, size_t array_bytes);

/// Arrays of twice the last-level cache in all, at least 32 MiB each, within an eighth of the
/// usable memory.
size_t limit_array_bytes(size_t last_level_bytes, size_t usable_memory_bytes, int workers);

/// The share of the limit that an operation reaches: every input read once and every output written
/// once is the least traffic any AllReduce can do.
double limit_share(double seconds, size_t bytes, int ranks, const MemoryLimits& limits);

}  // namespace arb
