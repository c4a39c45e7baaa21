// The message sizes of a sweep: a range by factor or by step, or a list.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/values.hpp"

namespace arb {

/// How sizes were asked for: `sizes` is "8B:4GB", "8B:4GB:4" or "8B,1K,1M"; the others are -b -e -f
/// -i.
struct SizeArguments {
  std::optional<Argument> sizes, begin, end, factor, step;
  bool any() const { return sizes || begin || end || factor || step; }
};

inline constexpr uint64_t kDefaultFirstBytes = 8;
inline constexpr uint64_t kDefaultLastBytes = uint64_t{64} << 20;

/// Strictly ascending sizes in bytes; nothing given: 8B:64MB by factor 2. Throws Error{kUsage}.
std::vector<uint64_t> read_sizes(const SizeArguments& arguments);

}  // namespace arb
