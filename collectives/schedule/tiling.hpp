// Chunk arithmetic: which elements chunk c of tile t covers. Runners and the oracle share it.
#pragma once

#include <cstddef>

namespace arb {

struct Range {
  size_t begin = 0;  // in elements, from the start of the (virtual, whole) message
  size_t size = 0;   // in elements
  bool operator==(const Range&) const = default;
};

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
