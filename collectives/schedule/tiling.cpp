#include "collectives/schedule/tiling.hpp"

#include <algorithm>
#include <string>

#include "collectives/error.hpp"

namespace arb {

Tiling::Tiling(size_t count, int chunks, bool blocked, size_t tile, size_t grain)
    : numbers_{count, tile, grain, chunks, blocked}, tiles_(1) {
  if (chunks < 1 || tile < 1 || grain < 1) {
    throw Error(ErrorKind::kInternal, "a tiling needs at least one chunk, tile and grain element");
  }
  const size_t parts = blocked ? static_cast<size_t>(chunks) : 1;
  if (count % parts != 0) {
    throw Error(ErrorKind::kInternal, std::to_string(count) + " elements cannot be cut into " +
                                          std::to_string(parts) + " equal blocks");
  }
  // A tile larger than the message is the message; so nothing below can overflow.
  const size_t block = std::max<size_t>(count / parts, 1);
  const size_t piece = std::min(TilingNumbers::divide_up(tile, parts), block);
  numbers_.tile = piece * parts;
  tiles_ = TilingNumbers::divide_up(block, piece);
}

size_t Tiling::stride() const {
  return blocked() ? tile() / static_cast<size_t>(chunks()) : tile();
}

Range Tiling::range(size_t tile, int first, int count) const {
  if (blocked() && count != 1) throw Error(ErrorKind::kInternal, "a blocked slice is one chunk");
  return numbers_.range(tile, first, count);
}

}  // namespace arb
