#include "collectives/schedule/collective.hpp"

#include <numeric>

namespace arb {

std::string_view name(Collective collective) {
  switch (collective) {
    case Collective::kAllReduce:
      return "all-reduce";
    case Collective::kReduceScatter:
      return "reduce-scatter";
    case Collective::kAllGather:
      return "all-gather";
    case Collective::kBroadcast:
      return "broadcast";
    case Collective::kReduce:
      return "reduce";
  }
  return "unknown";
}

bool has_root(Collective collective) {
  return collective == Collective::kBroadcast || collective == Collective::kReduce;
}

bool reduces(Collective collective) {
  return collective != Collective::kAllGather && collective != Collective::kBroadcast;
}

bool blocked(Collective collective) {
  return collective == Collective::kReduceScatter || collective == Collective::kAllGather;
}

bool has_input(Collective collective, int rank, int chunk, int root) {
  if (collective == Collective::kAllGather) return rank == chunk;
  if (collective == Collective::kBroadcast) return rank == root;
  return true;
}

bool has_output(Collective collective, int rank, int chunk, int root) {
  if (collective == Collective::kReduceScatter) return rank == chunk;
  if (collective == Collective::kReduce) return rank == root;
  return true;
}

std::vector<int> contributors(Collective collective, int ranks, int chunk, int root) {
  if (collective == Collective::kAllGather) return {chunk};
  if (collective == Collective::kBroadcast) return {root};
  std::vector<int> everybody(static_cast<size_t>(ranks));
  std::iota(everybody.begin(), everybody.end(), 0);
  return everybody;
}

double bus_factor(Collective collective, int ranks) {
  if (ranks < 2) return 0;
  const double n = ranks;
  if (collective == Collective::kAllReduce) return 2 * (n - 1) / n;
  return blocked(collective) ? (n - 1) / n : 1;
}

}  // namespace arb
