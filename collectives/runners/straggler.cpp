#include "collectives/runners/straggler.hpp"

#include <algorithm>

namespace arb {

int find_straggler(std::span<const Wait> waits) {
  double longest = 0;
  for (const Wait& wait : waits) longest = std::max(longest, wait.seconds);
  if (longest == 0) return kNone;
  const auto waited_long = [&](int rank) {
    const Wait& wait = waits[static_cast<size_t>(rank)];
    return wait.for_rank != kNone && wait.seconds * 2 > longest;
  };
  const int ranks = static_cast<int>(waits.size());
  for (int rank = 0; rank < ranks; ++rank) {
    int late = rank;
    int hops = 0;
    while (hops <= ranks && waited_long(late)) {
      late = waits[static_cast<size_t>(late)].for_rank;
      ++hops;
    }
    if (hops > 0 && hops <= ranks) return late;
  }
  return kNone;
}

}  // namespace arb
