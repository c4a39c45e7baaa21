// The MPI library's own collectives as rows of a table: one whose algorithm the library chooses,
// and those of Open MPI's coll/tuned that can be forced. Data only: no <mpi.h>.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collectives/runners/operation.hpp"

namespace arb {

struct OpenMpiAlgorithm {
  Collective collective;
  std::string_view name;  // "openmpi:ring"
  std::string_view summary;
  int forced = 0;         // number of coll/tuned; 0: the library chooses
  int segment_bytes = 0;  // 0: not cut into segments
};

std::span<const OpenMpiAlgorithm> openmpi_algorithms();

/// nullptr if there is none of that name for the collective.
const OpenMpiAlgorithm* find_openmpi(Collective collective, std::string_view name);

/// Why MPI cannot run this shape, or would run another algorithm than the one named; nullopt if it
/// can. The rules are those of Open MPI 4.1.4.
std::optional<std::string> openmpi_unsupported(const OpenMpiAlgorithm& algorithm,
                                               const Shape& shape);

/// The sentence to show beside a wrong result of an openmpi row, or "" if none is known.
std::string openmpi_cure(Dtype dtype, Op op);

/// Before MPI_Init: lets the forced rows choose (coll_tuned_use_dynamic_rules, which Open MPI reads
/// only then). Changes the environment of this process, unless the user tunes coll/tuned there:
/// then it changes nothing, because what the user left switched off would come to life.
void allow_openmpi_forcing();

}  // namespace arb
