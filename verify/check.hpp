// Compares every element that a collective promised with its reference, block by block, in one
// pass.
#pragma once

#include <cstddef>
#include <vector>

#include "collectives/schedule/collective.hpp"
#include "collectives/schedule/facts.hpp"
#include "collectives/schedule/tiling.hpp"
#include "verify/data.hpp"
#include "verify/verdict.hpp"

namespace arb {

/// Both pointers are the start of the (virtual, whole) message of `count` elements; only the parts
/// that has_input() / has_output() name are real. In place they are equal. A null pointer: that
/// buffer is elsewhere (another process) and is left out.
struct RankView {
  const std::byte* input = nullptr;
  const std::byte* output = nullptr;
};

struct CheckSpec {
  Collective collective = Collective::kAllReduce;
  int root = 0;
  bool in_place = false;
  const Tiling* tiling = nullptr;  // how the runner cut the message: chunk c of tile t -> elements
  // Null: order unknown (a library), so exact data, the bound and agreement of the ranks only.
  const ReductionOrder* order = nullptr;
  DataSpec data;
};

/// Checks tile `tile` of the message at all ranks: the output against
///   exact data: the reference, bit for bit (any order gives it);
///   random data: the oracle bit for bit if `order` is known, and the true result within its proven
///   bound (n-1) * u * sum|x| (Jeannerod & Rump 2013; avg: one u more);
/// that all ranks hold identical bits, and (out of place) that the inputs survived.
/// Throws if `order` does not combine every contributor exactly once.
/// Any NaN equals any NaN. Thread-safe; memory: a few blocks. Cost: each buffer is read once.
Verdict check_tile(const CheckSpec& spec, const std::vector<RankView>& ranks, size_t tile);

/// The same of the elements `part`, which lie in chunk `chunk` of some tile.
Verdict check_part(const CheckSpec& spec, const std::vector<RankView>& ranks, int chunk,
                   const Range& part);

/// Is there one right bit pattern for every element? If not (rounding shows, and the order is
/// unknown), the bound and the agreement of the ranks decide.
bool has_one_right_result(const CheckSpec& spec);

/// Fills with a byte pattern that no result has by chance (floats: NaN).
void poison(void* buffer, size_t bytes);

/// Guard zones: kGuardBytes before and after every real part of a buffer.
inline constexpr size_t kGuardBytes = 64;
void set_guard(void* guard, size_t bytes, unsigned salt);
/// Offset of the first changed byte, or -1.
long changed_guard(const void* guard, size_t bytes, unsigned salt);

}  // namespace arb
