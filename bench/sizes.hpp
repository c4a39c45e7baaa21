// Message sizes as people write them: 8B, 4K, 4KB, 4KiB, 1.5M, 2g, 4GB. Suffixes are 1024-based, in
// any case.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "bench/values.hpp"

namespace arb {

// Records hold sizes as signed 64-bit numbers.
inline constexpr uint64_t kLargestSize = std::numeric_limits<int64_t>::max();

/// Bytes, exact; parts of a byte are dropped (1.1K = 1126). Throws Error{kUsage} for all else, "too
/// large" included.
uint64_t read_size(const Argument& argument);

std::string format_bytes(uint64_t bytes);  // "32.0 GiB", "12 B": for sentences
std::string format_size(uint64_t bytes);   // "4GB", "1000B": exact, and read_size() reads it back

}  // namespace arb
