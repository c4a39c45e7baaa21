// The pieces that blocks take: see CheckArgs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/schedule/tiling.hpp"

namespace arb {

/// Part of a chunk of a tile.
struct CheckItem {
  int chunk = 0;
  Range part;  // empty: the chunk has no such piece
};

class CheckItems {
 public:
  /// Of tiles first_tile, first_tile + stride, ...
  CheckItems(const Tiling& tiling, size_t first_tile, size_t stride);

  uint64_t first_tile() const { return first_tile_; }
  uint64_t stride() const { return stride_; }
  uint64_t pieces() const { return pieces_; }  // of the largest chunk
  uint64_t count() const { return count_; }
  uint64_t largest() const { return largest_; }  // elements of the largest item
  CheckItem item(uint64_t number) const;

 private:
  TilingNumbers tiling_;
  uint64_t first_tile_;
  uint64_t stride_;
  uint64_t largest_;
  uint64_t pieces_;
  uint64_t count_;
};

}  // namespace arb
