// Chunk arithmetic: which elements chunk c of tile t covers. Runners and the oracle share it.
#pragma once

#include <cstddef>

#include "collectives/ops/hd.hpp"

namespace arb {

struct Range {
  size_t begin = 0;  // in elements, from the start of the (virtual, whole) message
  size_t size = 0;   // in elements
  bool operator==(const Range&) const = default;
};

/// Parts [first, first + count) of `size` elements: parts of equal size, rounded up to `grain` once
/// a part holds a grain, so that the last ones may be short or empty.
ARB_HD inline Range cut(size_t size, int parts, size_t grain, int first, int count = 1) {
  const auto by = static_cast<size_t>(parts);
  size_t part = size / by + (size % by != 0 ? 1 : 0);
  if (part >= grain) part = (part + grain - 1) / grain * grain;
  const size_t from = static_cast<size_t>(first) * part;
  const size_t to = static_cast<size_t>(first + count) * part;
  const size_t begin = from < size ? from : size;
  return {begin, (to < size ? to : size) - begin};
}

/// Cuts a message of `count` elements into tiles, and each tile into `chunks` chunks.
///
/// Contiguous: tile t covers [t*tile, min((t+1)*tile, count)); its chunks have equal size, rounded
/// up to `grain` elements once a chunk holds a grain, so that the last chunks may be short or
/// empty. Blocked: the message is `chunks` blocks of count/chunks elements (count is a multiple of
/// chunks); chunk c of tile t covers the t-th piece of tile/chunks elements of block c.
class Tiling {
 public:
  /// tile: elements per tile, >= 1 (blocked: rounded up to a multiple of chunks). grain: elements,
  /// >= 1.
  Tiling(size_t count, int chunks, bool blocked, size_t tile, size_t grain);

  size_t count() const { return count_; }
  int chunks() const { return chunks_; }
  bool blocked() const { return blocked_; }
  size_t tiles() const { return tiles_; }  // at least 1: a message of 0 elements has one empty tile
  size_t tile() const { return tile_; }    // elements of a full tile

  /// Elements of chunks [first, first+count) of a tile; blocked tilings take one chunk at a time.
  Range range(size_t tile, int first, int count = 1) const;

 private:
  size_t count_;
  int chunks_;
  bool blocked_;
  size_t tile_;
  size_t grain_;
  size_t tiles_;
};

}  // namespace arb
