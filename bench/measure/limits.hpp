// What the memory of this machine gives to all workers together: the roof that host ranks live
// under.
#pragma once

#include <cstddef>
#include <optional>

#include "bench/measure/memory_limits.hpp"
#include "bench/measure/prepared.hpp"
#include "collectives/runners/crew.hpp"

namespace arb {

/// Median of several passes over arrays of `array_bytes` per worker (several times the last-level
/// cache), written around the caches. Takes a fraction of a second.
MemoryLimits measure_memory_limits(Crew& crew, size_t array_bytes);

/// Arrays of twice the last-level cache in all, at least 32 MiB each, within an eighth of the
/// usable memory.
size_t limit_array_bytes(size_t last_level_bytes, size_t usable_memory_bytes, int workers);

/// The runner's make_copy_limit(), if it has one. It takes turns with the algorithms of a case, on
/// the same buffers; its time over theirs is the share of the memory limit they reach. The result
/// is no sum: kind "reference", never checked, never a record.
std::optional<Prepared> prepare_copy_limit(Runner& runner, const Shape& shape, bool in_place);

}  // namespace arb
