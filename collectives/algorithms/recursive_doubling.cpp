// Recursive doubling: partners at distance 1, 2, 4, ... exchange everything they know.
//
//   0 <-> 1   2 <-> 3     now each pair knows its sum
//   0 <-> 2   1 <-> 3     now everybody knows the sum of all four
//
// Ranks beyond the largest power of two p fold in first (rank p+i hands its input to rank i) and
// get the result at the end. Partners combine the same two values, so all ranks hold equal bits.
//
// Steps: log2 P, and up to 2 more with folding.
// Bytes: log2 P times K each way per rank, and K more at ranks that fold.
// Wins for small messages, where every step costs one latency and bytes are nearly free.
// Source: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", 2005.
#include <bit>

#include "collectives/algorithms/single_rank.hpp"

namespace arb {

Schedule recursive_doubling_all_reduce(int ranks, int /*root*/) {
  if (ranks == 1) return single_rank();
  Schedule schedule(ranks, 1);
  const int core = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  for (int rank = 0; rank < core; ++rank) {
    LaneBuilder lane(schedule, rank);
    const bool folds = rank + core < ranks;
    Slice sum = input(0);
    if (folds) {
      lane.recv_reduce(sum, output(0), rank + core);
      sum = output(0);
    }
    for (int distance = 1; distance < core; distance *= 2) {
      const int partner = rank ^ distance;
      lane.send(sum, partner).recv_reduce(sum, output(0), partner);
      sum = output(0);
    }
    if (folds) lane.send(output(0), rank + core);
  }
  for (int rank = core; rank < ranks; ++rank) {
    LaneBuilder(schedule, rank, "folded").send(input(0), rank - core).recv(output(0), rank - core);
  }
  return schedule;
}

}  // namespace arb
