// Which of how many processes a test is.
#pragma once

#include "collectives/runners/mpi/mpi.hpp"

namespace arb {

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

}  // namespace arb
