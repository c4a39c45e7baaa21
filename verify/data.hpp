// Inputs as a pure function of (kind, seed, rank, index): no buffer is stored, any part can be made
// alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/ops/types.hpp"

namespace arb {

enum class DataKind : unsigned char {
  kExact,    // integers times one power of two: every order of the reduction gives the same bits
  kRandom,   // what real data look like: rounding shows, so the order shows
  kExtreme,  // floats near the largest finite ones beside small ones: sums overflow or cancel
};

struct DataSpec {
  DataKind kind = DataKind::kExact;
  Dtype dtype = Dtype::kFloat32;
  Op op = Op::kSum;
  int ranks = 1;
  uint64_t seed = 0;  // differs from run to run, so that a stale result is seen
};

/// Writes elements [first, first + count) of `rank`'s input to `out`. Thread-safe.
void generate(const DataSpec& spec, int rank, size_t first, size_t count, void* out);

}  // namespace arb
