// Counter-based random bits: a pure function of (seed, rank, index) whose loop vectorises.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "collectives/ops/hd.hpp"

namespace arb {

/// SplitMix64's finaliser (Steele, Lea, Flood 2014).
ARB_HD inline uint64_t mix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// The key of kSegment consecutive indices; inside a segment only 32-bit arithmetic is needed,
/// which every vector unit has.
struct SegmentKey {
  uint32_t a;
  uint32_t b;

  static constexpr size_t kSegment = size_t{1} << 16;

  ARB_HD SegmentKey(uint64_t stream, uint64_t segment) {
    const uint64_t key = mix64(mix64(stream) ^ segment);
    a = static_cast<uint32_t>(key);
    b = static_cast<uint32_t>(key >> 32);
  }

  /// 32 random bits. Multipliers: lowbias32 (C. Wellons); b enters between them, so that two keys
  /// do not give shifted copies of one sequence.
  ARB_HD uint32_t bits(uint32_t offset) const {
    uint32_t x = offset * 0x9e3779b1U + a;
    x = (x ^ (x >> 16)) * 0x7feb352dU;
    x ^= b;
    x = (x ^ (x >> 15)) * 0x846ca68bU;
    return x ^ (x >> 16);
  }
};

/// Calls visit(segment, offset in the segment, position in the range, count) for each piece of
/// [first, first + count).
template <class Visitor>
void for_segments(size_t first, size_t count, Visitor&& visit) {
  size_t done = 0;
  while (done < count) {
    const size_t index = first + done;
    const size_t offset = index % SegmentKey::kSegment;
    const size_t piece = std::min(count - done, SegmentKey::kSegment - offset);
    visit(index / SegmentKey::kSegment, static_cast<uint32_t>(offset), done,
          static_cast<uint32_t>(piece));
    done += piece;
  }
}

}  // namespace arb
