// Rabenseifner: recursive halving to scatter the sums, recursive doubling to gather them again.
//
//   the chunks of rank 0 of 4                with
//   reduce-scatter   sends 2 3, keeps 0 1    rank 2
//                    sends 1,   keeps 0      rank 1
//   all-gather       sends 0,   gets 1       rank 1
//                    sends 0 1, gets 2 3     rank 2
//
// Ranks beyond the largest power of two p fold in first (rank p+i hands its input to rank i) and
// get the result at the end. A tile has p chunks; between the halves rank r < p owns chunk r.
//
// Steps: 2 log2 p, and 2 more with folding.
// Bytes: 2(p-1)/p K each way per rank, and K more at ranks that fold.
// Wins for medium messages on powers of two: the bytes of the ring in logarithmically many steps.
// Source: Rabenseifner, "Optimization of collective reduction operations", 2004.
#include <bit>

#include "collectives/algorithms/single_rank.hpp"

namespace arb {
namespace {

/// The chunks that the ranks which agree with `rank` in all bits from `width` up work on together.
Slice window(Slice (*buffer)(int, int), int rank, int width) {
  return buffer(rank / width * width, width);
}

}  // namespace

Schedule rabenseifner_all_reduce(int ranks, int /*root*/) {
  if (ranks == 1) return single_rank();
  const int core = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  Schedule schedule(ranks, core);
  for (int rank = 0; rank < core; ++rank) {
    LaneBuilder lane(schedule, rank);
    const bool folds = rank + core < ranks;
    auto* sums = &input;
    if (folds) {
      lane.recv_reduce(input(0, core), output(0, core), rank + core);
      sums = &output;
    }
    for (int width = core / 2; width >= 1; width /= 2) {
      const int partner = rank ^ width;
      lane.send(window(sums, partner, width), partner);
      lane.recv_reduce(window(sums, rank, width), window(&output, rank, width), partner);
      sums = &output;
    }
    for (int width = 1; width < core; width *= 2) {
      const int partner = rank ^ width;
      lane.send(window(&output, rank, width), partner);
      lane.recv(window(&output, partner, width), partner);
    }
    if (folds) lane.send(output(0, core), rank + core);
  }
  for (int rank = core; rank < ranks; ++rank) {
    LaneBuilder(schedule, rank, "folded")
        .send(input(0, core), rank - core)
        .recv(output(0, core), rank - core);
  }
  return schedule;
}

}  // namespace arb
