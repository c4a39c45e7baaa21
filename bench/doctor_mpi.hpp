// What mpirun (Open MPI's) needs to hear on this machine, and why: each of these is a job that does
// not start, crawls, or computes nonsense, with a message that does not name the cure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "bench/environment.hpp"
#include "bench/system.hpp"
#include "collectives/runners/mpi/world.hpp"

namespace arb {

struct MpirunNeeds {
  bool root = false;            // we are the superuser
  bool reads_processes = true;  // a process may read the memory of another one of the same user
  int cores = 1;                // more ranks than these take turns
  std::string container;        // as System::container
};

/// Tries what it cannot look up; starts a process for it.
MpirunNeeds read_mpirun_needs(const System& system);

/// A section of the doctor's text: a command line, and a sentence for each of its options.
std::string mpirun_text(const MpirunNeeds& needs);

/// A warning if ranks of a job take turns on cores and Open MPI waits without giving them up;
/// `library` as World::version().
std::optional<std::string> yield_warning(std::span<const Node> nodes, const std::string& library,
                                         const Lookup& lookup = lookup_environment);

}  // namespace arb
