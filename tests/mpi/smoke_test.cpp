#include <gtest/gtest.h>

#include "collectives/error.hpp"
#include "collectives/runners/mpi/mpi.hpp"

namespace arb {
namespace {

TEST(Communicator, DuplicateHasTheSameRanksAndReturnsErrors) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_EQ(world.rank(), rank);
  int one = 1;
  int all = 0;
  check_mpi(MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, world.get()), "MPI_Allreduce");
  EXPECT_EQ(all, world.size());
  EXPECT_THROW(check_mpi(MPI_Send(&one, 1, MPI_INT, all, 0, world.get()), "MPI_Send"), Error);
}

}  // namespace
}  // namespace arb
