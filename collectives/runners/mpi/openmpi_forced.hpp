// Communicators on which Open MPI's coll/tuned runs the algorithm that we name.
#pragma once

#include <optional>
#include <string>

#include "collectives/runners/mpi/mpi.hpp"
#include "collectives/runners/mpi/openmpi_list.hpp"

namespace arb {

/// Why no algorithm can be forced in this process, with the remedy, or nullopt. Of all MPI
/// implementations only Open MPI's coll/tuned can; it must have been allowed before MPI_Init, see
/// allow_openmpi_forcing(). Any time after MPI_Init.
std::optional<std::string> openmpi_forcing_unavailable();

/// A duplicate of `comm` on which MPI_Allreduce runs `algorithm` (all-reduce, forced). Collective.
/// MPI_Comm_dup notes the algorithm from control variables of the whole process, which are put back
/// right after: nothing else in the process may make communicators meanwhile. Then a small trial
/// (openmpi_trial.hpp) shows that it is what runs.
/// Throws Error{kEnvironment} on all ranks if forcing is unavailable on any of them, or if the
/// trial shows another algorithm.
Communicator duplicate_forced(const OpenMpiAlgorithm& algorithm, MPI_Comm comm);

}  // namespace arb
