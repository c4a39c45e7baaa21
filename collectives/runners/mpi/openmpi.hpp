// The MPI library's own collectives as operations, to be run beside ours and checked alike.
//
//   all-reduce      MPI_Allreduce
//   reduce-scatter  MPI_Reduce_scatter_block; in place MPI leaves the block at the start of the
//                   buffer, and it is moved to where it belongs as part of the operation
//   all-gather      MPI_Allgather
//   broadcast       MPI_Bcast, which knows one buffer: out of place the root sends its input, then
//                   copies it to its output as part of the operation
//   reduce          MPI_Reduce
#pragma once

#include <memory>

#include "collectives/runners/mpi/mpi.hpp"
#include "collectives/runners/mpi/openmpi_forced.hpp"
#include "collectives/runners/mpi/openmpi_list.hpp"
#include "collectives/runners/operation.hpp"

namespace arb {

/// An operation of this process's rank only: begin() and advance() take that rank, and advance()
/// blocks inside MPI until the rank's part is done. in_place: the two pointers of begin() are
/// equal. Collective over `comm`, as is the destruction of the result, which owns a duplicate of
/// `comm`. Throws Error{kEnvironment} on all ranks where duplicate_forced() does, and
/// Error{kInternal} for what openmpi_unsupported() names and for a shape whose ranks are not those
/// of `comm`.
std::unique_ptr<Operation> prepare_openmpi(const OpenMpiAlgorithm& algorithm, const Shape& shape,
                                           bool in_place, MPI_Comm comm);

}  // namespace arb
