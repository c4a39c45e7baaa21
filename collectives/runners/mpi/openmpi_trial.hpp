// Tells from outside which algorithm runs in MPI_Allreduce: by what an operator of ours is asked to
// reduce on each rank.
//
//   4 ranks, 4 elements    rank 0       1            2            3
//   basic-linear           4 4 4        -            -            -
//   recursive-doubling     4 4          4 4          4 4          4 4
//   ring                   1 1 1        1 1 1        1 1 1        1 1 1
//   rabenseifner           2 1          2 1          2 1          2 1
#pragma once

#include "collectives/runners/mpi/mpi.hpp"

namespace arb {

/// What one rank (or all together) was asked to reduce during one MPI_Allreduce.
struct OpCalls {
  long calls = 0;
  long elements = 0;  // of all calls
  bool operator==(const OpCalls&) const = default;
};

/// Of this rank, in an MPI_Allreduce of `count` ints. Collective. Throws what check_mpi() throws.
OpCalls observe_allreduce(MPI_Comm comm, int count);

/// Few elements, but enough to show the pattern of the algorithm with this number of coll/tuned.
int trial_count(int forced, int ranks);

/// What the algorithm asks of `rank` for trial_count() elements; nonoverlapping, whose reduce the
/// library chooses: of all ranks together. Throws Error{kInternal} if the number is unknown.
/// Source: coll_base_allreduce.c of Open MPI 4.1.4. A segmented ring of so few elements is a ring.
OpCalls expected_calls(int forced, int ranks, int rank);

/// Whether MPI_Allreduce on `comm` (2 ranks or more) runs the algorithm. Collective, one answer.
bool runs_as(int forced, MPI_Comm comm);

}  // namespace arb
