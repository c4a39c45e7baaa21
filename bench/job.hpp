// The job that this process belongs to, if a launcher started several: entered once, before
// anything is said of the command line, so that whatever is wrong with it is said once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/environment.hpp"
#include "bench/gpu_room.hpp"
#include "bench/options.hpp"
#include "collectives/runners/mpi/world.hpp"

namespace arb {

/// Of the launcher, from the environment it sets.
struct Launched {
  int processes = 1;
  int rank = 0;
  std::string variable;  // that said so; empty: no launcher
};
Launched read_launch(const Lookup& lookup = lookup_environment);

/// Is one process of several the one that talks, even if they do not see each other?
bool talks(const Launched& launched);

/// Why processes that were launched together cannot work together, or nullopt. `off`: why this
/// build has no MPI, empty if it has; `seen`: processes that MPI shows, by `library`.
std::optional<std::string> why_apart(const Launched& launched, const std::string& off, int seen,
                                     const std::string& library);

/// Null if this process is alone: no launcher, and it does not want MPI (--backend mpi, in a config
/// file too). Throws Error{kEnvironment} if several were launched that do not see each other.
std::unique_ptr<World> enter_job(int* argc, char*** argv, const Launched& launched, bool wants_mpi);

/// Throws Error{kUsage} on every rank if they were not started with the same command line and
/// version. Collective.
void require_same_command(const World& world, const std::vector<std::string>& command);

/// "host", "mpi" or "cuda". Throws Error{kUsage} for a backend, ranks or algorithms that do not go
/// with how the program was started, Error{kEnvironment} for GPUs that are not there; the same in
/// all processes. Collective. GPUs are only looked for where they matter.
std::string settled_backend(const Options& options, const World* world,
                            const GpuFinder& find_gpus = gpus_here);

}  // namespace arb
