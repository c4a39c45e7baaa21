// GoogleTest on every rank of a job, on MPI itself.
#include "collectives/runners/mpi/mpi.hpp"
#include "tests/mpi/run_on_ranks.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int failed = arb::run_on_ranks();
  MPI_Finalize();
  return failed;
}
