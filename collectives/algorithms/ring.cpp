// Ring: every rank talks to its two neighbours only; chunks travel around and grow.
//
//   rank 0 --> rank 1 --> rank 2 --> rank 3 --> (rank 0)
//
//   all-reduce on 4 ranks, what rank 0 sends at each step (chunk:{whose inputs it holds}):
//     reduce-scatter   0:{0}     3:{3,0}   2:{2,3,0}
//     all-gather       1:{all}   0:{all}   3:{all}
//
// Steps: 2(P-1) for all-reduce, P-1 for each half.
// Bytes: every rank sends and receives 2(P-1)/P K, the lower bound; half of that for each half.
// Wins for large messages. A fused step (receive, add, pass on) needs its next slot free while it
// still holds one, so with one slot per FIFO the whole ring waits for itself: two are the least.
// Source: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
// workstations", 2009.
#include "collectives/algorithms/single_rank.hpp"

namespace arb {
namespace {

/// Where a rank stands: its neighbours, and chunk numbers counted from it around the ring.
struct Position {
  int rank, ranks;
  int next() const { return (rank + 1) % ranks; }
  int previous() const { return (rank + ranks - 1) % ranks; }
  int chunk(int ahead) const { return (rank + ahead + ranks) % ranks; }
};

}  // namespace

Schedule ring_all_reduce(int ranks, int /*root*/) {
  if (ranks == 1) return single_rank();
  Schedule schedule(ranks, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const Position at{rank, ranks};
    LaneBuilder lane(schedule, rank, "ring");
    lane.send(input(rank), at.next());
    for (int k = 1; k <= ranks - 2; ++k) {
      lane.recv_reduce_send(input(at.chunk(-k)), at.previous(), at.next());
    }
    const int own = at.chunk(1);  // the chunk that becomes whole here
    lane.recv_reduce_store_send(input(own), output(own), at.previous(), at.next());
    for (int k = 0; k <= ranks - 3; ++k) {
      lane.recv_store_send(output(at.chunk(-k)), at.previous(), at.next());
    }
    lane.recv(output(at.chunk(2 - ranks)), at.previous());
  }
  return schedule;
}

Schedule ring_reduce_scatter(int ranks, int /*root*/) {
  if (ranks == 1) return single_rank();
  Schedule schedule(ranks, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const Position at{rank, ranks};
    LaneBuilder lane(schedule, rank, "ring");
    lane.send(input(at.chunk(-1)), at.next());
    for (int k = 2; k <= ranks - 1; ++k) {
      lane.recv_reduce_send(input(at.chunk(-k)), at.previous(), at.next());
    }
    lane.recv_reduce(input(rank), output(rank), at.previous());
  }
  return schedule;
}

Schedule ring_all_gather(int ranks, int /*root*/) {
  if (ranks == 1) return single_rank();
  Schedule schedule(ranks, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const Position at{rank, ranks};
    LaneBuilder lane(schedule, rank, "ring");
    lane.copy_send(input(rank), output(rank), at.next());
    for (int k = 1; k <= ranks - 2; ++k) {
      lane.recv_store_send(output(at.chunk(-k)), at.previous(), at.next());
    }
    lane.recv(output(at.chunk(1 - ranks)), at.previous());
  }
  return schedule;
}

}  // namespace arb
