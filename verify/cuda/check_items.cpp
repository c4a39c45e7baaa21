#include "verify/cuda/check_items.hpp"

#include <algorithm>

#include "verify/cuda/tables.hpp"

namespace arb {

CheckItems::CheckItems(const Tiling& tiling, size_t first_tile, size_t stride)
    : tiling_(tiling.numbers()), first_tile_(first_tile), stride_(stride) {
  const size_t chunk = tiling.range(0, 0).size;  // the largest
  largest_ = std::min<uint64_t>(std::max<size_t>(chunk, 1), kPiece);
  pieces_ = std::max<uint64_t>(TilingNumbers::divide_up(chunk, kPiece), 1);
  const uint64_t tiles = first_tile < tiling.tiles()
                             ? TilingNumbers::divide_up(tiling.tiles() - first_tile, stride)
                             : 0;
  count_ = tiles * static_cast<uint64_t>(tiling_.chunks) * pieces_;
}

CheckItem CheckItems::item(uint64_t number) const {
  const auto chunks = static_cast<uint64_t>(tiling_.chunks);
  const auto chunk = static_cast<int>(number / pieces_ % chunks);
  const uint64_t tile = first_tile_ + number / pieces_ / chunks * stride_;
  const Range range = tiling_.range(tile, chunk);
  const uint64_t begin = std::min<uint64_t>(number % pieces_ * kPiece, range.size);
  return {chunk, {range.begin + begin, std::min<uint64_t>(range.size - begin, kPiece)}};
}

}  // namespace arb
