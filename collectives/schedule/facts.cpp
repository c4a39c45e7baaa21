#include "collectives/schedule/facts.hpp"

#include <cstddef>

namespace arb {

ReductionOrder rank_order(int ranks, int chunks) {
  ReductionOrder order;
  int sum = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    order.arena.push_back({.rank = rank});
    const int leaf = static_cast<int>(order.arena.size()) - 1;
    if (rank > 0) {
      order.arena.push_back({.rank = -1, .left = sum, .right = leaf, .leaves = rank + 1});
    }
    sum = static_cast<int>(order.arena.size()) - 1;
  }
  order.result.assign(static_cast<size_t>(chunks), sum);
  return order;
}

}  // namespace arb
