// Naive root: everybody sends to one rank, which does all the work alone.
//
//   gather and reduce            send the result
//   1 --.                            .--> 1
//   2 --+--> root  x0+x1+x2+x3  root +--> 2
//   3 --'                            '--> 3
//
// The root takes its own input first and then the others in rank order; all-reduce uses rank 0.
//
// Steps: 2 (broadcast and reduce: 1), but the root handles all of its messages one by one.
// Bytes: the root receives (P-1)K and sends (P-1)K, everybody else K each way.
// Wins at 2 ranks and for tiny messages; it is the baseline that shows why the others exist.
// Source: Chan et al., "Collective communication: theory, practice, and experience", 2007.
#include "collectives/algorithms/single_rank.hpp"

namespace arb {
namespace {

void reduce_at_root(LaneBuilder& lane, int ranks, int root) {
  Slice sum = input(0);
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == root) continue;
    lane.recv_reduce(sum, output(0), rank);
    sum = output(0);
  }
}

void send_from_root(LaneBuilder& lane, Slice value, int ranks, int root) {
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank != root) lane.send(value, rank);
  }
}

}  // namespace

Schedule naive_root_all_reduce(int ranks, int /*root*/) {
  if (ranks == 1) return single_rank();
  Schedule schedule(ranks, 1);
  LaneBuilder root(schedule, 0, "root");
  reduce_at_root(root, ranks, 0);
  send_from_root(root, output(0), ranks, 0);
  for (int rank = 1; rank < ranks; ++rank) {
    LaneBuilder(schedule, rank, "other").send(input(0), 0).recv(output(0), 0);
  }
  return schedule;
}

Schedule naive_root_broadcast(int ranks, int root) {
  if (ranks == 1) return single_rank();
  Schedule schedule(ranks, 1);
  LaneBuilder source(schedule, root, "root");
  source.copy(input(0), output(0));
  send_from_root(source, input(0), ranks, root);
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank != root) LaneBuilder(schedule, rank, "other").recv(output(0), root);
  }
  return schedule;
}

Schedule naive_root_reduce(int ranks, int root) {
  if (ranks == 1) return single_rank();
  Schedule schedule(ranks, 1);
  LaneBuilder target(schedule, root, "root");
  reduce_at_root(target, ranks, root);
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank != root) LaneBuilder(schedule, rank, "other").send(input(0), root);
  }
  return schedule;
}

}  // namespace arb
