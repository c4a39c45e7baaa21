// The file that tells Open MPI's coll/tuned component which MPI_Allreduce to run: its classic
// format (no version line, four columns), which every 4.x and 5.x reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/tune/choose.hpp"

namespace arb {

/// Records of backend "mpi" with algorithms openmpi:default and openmpi:NAME. Those of
/// segmented-ring were measured in segments of their slot_bytes, or of 64 KiB.
extern const Library kOpenMpi;

/// "ring" -> 4; nullopt for a name that coll/tuned does not have.
std::optional<int> openmpi_number(std::string_view name);

/// "basic-linear", ... in the order of their numbers, from 1.
std::vector<std::string> openmpi_names();

struct OpenMpiRules {
  std::string source;               // of the measurements, for the comment at the top
  bool extend = false;              // let rules also serve larger messages and communicators
  std::optional<int> every_number;  // in place of each algorithm that is not 0: for probing
};

/// Rules for all-reduce; tunings of other collectives are ignored. Sizes, and communicators, that
/// were not measured or not told apart get algorithm 0 (Open MPI decides), unless `extend`. How
/// Open MPI reads it: the last block whose communicator size is not above the communicator's, in
/// it the last rule whose bytes are not above the message's.
std::string write_openmpi_rules(const std::vector<Tuning>& tunings, const OpenMpiRules& how);

/// Whether a chosen algorithm gives wrong results for operations that do not commute: Open MPI
/// checks that only when it decides itself.
bool needs_commutative(const Tuning& tuning);

/// The options of mpirun that make Open MPI read `file`.
std::string openmpi_options(const std::string& file);

}  // namespace arb
