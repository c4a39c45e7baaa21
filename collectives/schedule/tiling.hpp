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
  if (grain > 1 && part >= grain) part = (part + grain - 1) / grain * grain;
  const size_t from = static_cast<size_t>(first) * part;
  const size_t to = static_cast<size_t>(first + count) * part;
  const size_t begin = from < size ? from : size;
  return {begin, (to < size ? to : size) - begin};
}

/// The numbers of a Tiling, and its arithmetic for host and device.
struct TilingNumbers {
  size_t count = 0;  // elements of the message
  size_t tile = 1;   // elements of a full tile
  size_t grain = 1;
  int chunks = 1;
  bool blocked = false;

  /// See Tiling::range().
  ARB_HD Range range(size_t index, int first, int number = 1) const {
    if (blocked) {
      const auto parts = static_cast<size_t>(chunks);
      const size_t block = count / parts;
      const size_t piece = tile / parts;
      const size_t begin = smaller(index * piece, block);
      return {static_cast<size_t>(first) * block + begin, smaller(piece, block - begin)};
    }
    const size_t base = index * tile;
    const size_t size = smaller(tile, count - smaller(base, count));
    const Range part = cut(size, chunks, grain, first, number);
    return {base + part.begin, part.size};
  }

  ARB_HD static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
  ARB_HD static size_t divide_up(size_t value, size_t by) {
    return value / by + (value % by != 0 ? 1 : 0);
  }
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

  const TilingNumbers& numbers() const { return numbers_; }
  size_t count() const { return numbers_.count; }
  int chunks() const { return numbers_.chunks; }
  bool blocked() const { return numbers_.blocked; }
  size_t tiles() const { return tiles_; }  // at least 1: a message of 0 elements has one empty tile
  size_t tile() const { return numbers_.tile; }  // elements of a full tile
  /// Elements from where a chunk begins in one full tile to where it begins in the next.
  size_t stride() const;

  /// Elements of chunks [first, first+count) of a tile; blocked tilings take one chunk at a time.
  Range range(size_t tile, int first, int count = 1) const;

 private:
  TilingNumbers numbers_;
  size_t tiles_;
};

}  // namespace arb
