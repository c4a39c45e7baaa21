#include "collectives/schedule/tiling.hpp"

#include <algorithm>
#include <string>

#include "collectives/error.hpp"

namespace arb {
namespace {

size_t divide_up(size_t value, size_t by) { return value / by + (value % by != 0 ? 1 : 0); }

}  // namespace

Tiling::Tiling(size_t count, int chunks, bool blocked, size_t tile, size_t grain)
    : count_(count), chunks_(chunks), blocked_(blocked), tile_(tile), grain_(grain), tiles_(1) {
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
  const size_t piece = std::min(divide_up(tile, parts), block);
  tile_ = piece * parts;
  tiles_ = divide_up(block, piece);
}

Range Tiling::range(size_t tile, int first, int count) const {
  const auto chunk = static_cast<size_t>(first);
  if (blocked_) {
    if (count != 1) throw Error(ErrorKind::kInternal, "a blocked slice is one chunk");
    const size_t block = count_ / static_cast<size_t>(chunks_);
    const size_t piece = tile_ / static_cast<size_t>(chunks_);
    const size_t begin = std::min(tile * piece, block);
    return {chunk * block + begin, std::min(piece, block - begin)};
  }
  const size_t base = tile * tile_;
  const size_t size = std::min(tile_, count_ - std::min(base, count_));
  const Range cut_out = cut(size, chunks_, grain_, first, count);
  return {base + cut_out.begin, cut_out.size};
}

}  // namespace arb
