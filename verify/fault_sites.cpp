#include "verify/fault_sites.hpp"

#include <algorithm>
#include <optional>

#include "collectives/error.hpp"

namespace arb {

void refuse_fault(const std::string& why) {
  throw Error(ErrorKind::kUsage, "the fault cannot be injected here: " + why);
}

std::vector<Range> FaultSites::parts(Promise promise, int rank) const {
  std::vector<Range> result;
  for (size_t tile = 0; tile < spec_.tiling->tiles(); ++tile) {
    for (int chunk = 0; chunk < spec_.tiling->chunks(); ++chunk) {
      if (!promise(spec_.collective, rank, chunk, spec_.root)) continue;
      const Range range = spec_.tiling->range(tile, chunk);
      if (range.size > 0) result.push_back(range);
    }
  }
  return result;
}

int FaultSites::victim(int wanted) const {
  const int count = static_cast<int>(ranks_.size());
  if (wanted >= count) refuse_fault("there is no rank " + std::to_string(wanted));
  for (int i = 0; i < count; ++i) {
    const int rank = (wanted + i) % count;
    if (ranks_[static_cast<size_t>(rank)].output != nullptr && !parts(has_output, rank).empty()) {
      return rank;
    }
  }
  refuse_fault("no rank has an output element");
}

size_t FaultSites::middle(int rank) const {
  const std::vector<Range> ranges = parts(has_output, rank);
  const Range& range = ranges[ranges.size() / 2];
  return range.begin + range.size / 2;
}

size_t FaultSites::end(int rank) const {
  size_t last = 0;
  for (const Range& range : parts(has_output, rank)) {
    last = std::max(last, range.begin + range.size);
  }
  return last;
}

std::pair<Range, Range> FaultSites::two_chunks() const {
  for (size_t tile = 0; tile < spec_.tiling->tiles(); ++tile) {
    std::optional<Range> first;
    for (int chunk = 0; chunk < spec_.tiling->chunks(); ++chunk) {
      const Range range = spec_.tiling->range(tile, chunk);
      if (range.size == 0) continue;
      if (first) {
        const size_t size = std::min(first->size, range.size);
        return {{first->begin, size}, {range.begin, size}};
      }
      first = range;
    }
    if (!first || first->size < 2) continue;
    const size_t half = first->size / 2;
    return {{first->begin, half}, {first->begin + half, half}};
  }
  refuse_fault("swap-chunks needs 2 elements");
}

}  // namespace arb
