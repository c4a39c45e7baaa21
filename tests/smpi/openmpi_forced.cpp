// In place of collectives/runners/mpi/openmpi_forced.cpp: SMPI has no control variables (MPI_T).
#include "collectives/runners/mpi/openmpi_forced.hpp"

#include "collectives/error.hpp"

namespace arb {

std::optional<std::string> openmpi_forcing_unavailable() {
  return "this is SMPI, a simulator: only Open MPI can be told which algorithm to run";
}

Communicator duplicate_forced(const OpenMpiAlgorithm& algorithm, MPI_Comm) {
  throw Error(ErrorKind::kEnvironment,
              std::string(algorithm.name) + " cannot be forced: " + *openmpi_forcing_unavailable());
}

}  // namespace arb
