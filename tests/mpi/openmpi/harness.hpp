// What the tests of Open MPI's collectives share: one checked run of one rank, and shapes by name.
#pragma once

#include <string>

#include "collectives/runners/mpi/openmpi.hpp"
#include "tests/mpi/ranks.hpp"
#include "verify/verdict.hpp"

namespace arb {

/// Called before MPI_Init when a test links this (allow_openmpi_forcing()).
extern const bool kForcingAllowed;

/// "all-reduce openmpi:ring, 4 ranks, 1000 float32 sum, in place"
std::string describe(const OpenMpiAlgorithm& algorithm, const Shape& shape, bool in_place);

/// Runs the operation `times` times on exact and random data in turn and checks this rank's output,
/// its input, and that nothing was written around or outside the parts that are real.
Verdict run_checked(Operation& operation, const Shape& shape, bool in_place, int times = 2);

}  // namespace arb
