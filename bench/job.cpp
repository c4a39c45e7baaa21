#include "bench/job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/build_info.hpp"
#include "bench/files.hpp"
#include "bench/known_algorithms.hpp"
#include "collectives/error.hpp"

namespace arb {

namespace {

/// Launchers, and the variables in which they say how many and which.
struct Variables {
  const char* count;
  const char* rank;
};
constexpr Variables kLaunchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},  // Open MPI's mpirun
    {"PMI_SIZE", "PMI_RANK"},                          // MPICH's mpiexec, srun --mpi=pmi2
    // SLURM_NTASKS is also set for the one process of a batch script; the step's count is not.
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
};

constexpr char kUsageMark = 'u';  // the first letter of what a process says of a fault
constexpr char kEnvironmentMark = 'e';

std::optional<int> number(const Lookup& lookup, const char* variable) {
  const auto value = to_number(lookup(variable).value_or(""));
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

/// Why this build has no MPI; empty: it has.
std::string mpi_off() {
  for (const Backend& backend : backends()) {
    if (backend.name == "mpi") return backend.off;
  }
  return "it is unknown here";
}

/// Lines travel between GPUs that write into each other's memory.
void require_protocol(const Options& options, const World& world, const GpuRoom& room) {
  if (options.protocol != "ll") return;
  const std::vector<int> counts = options.ranks.empty() ? gpu_rank_counts(room) : options.ranks;
  for (const int ranks : counts) {
    const size_t nodes = world.nodes(place_ranks(room, ranks).value_or(room).processes).size();
    if (nodes < 2) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("--protocol ll: {} ranks are on the GPUs of {} nodes, and lines do not "
                            "travel as messages; use --protocol auto, or ranks of one node",
                            ranks, nodes));
  }
}

/// Processes may see different GPUs: if one finds fault, all do.
void require_room(const Options& options, const World* world, const GpuSystem& system) {
  if (world == nullptr) {
    settle_room(options, system, 1);
    return;
  }
  std::string fault;
  try {
    require_protocol(options, *world, settle_room(options, system, world->size()));
  } catch (const Error& error) {
    fault = error.kind() == ErrorKind::kUsage ? kUsageMark : kEnvironmentMark;
    fault += error.what();
  }
  for (const std::string& said : world->exchange(fault)) {
    if (said.empty()) continue;
    throw Error(said[0] == kUsageMark ? ErrorKind::kUsage : ErrorKind::kEnvironment,
                said.substr(1));
  }
}

}  // namespace

Launched read_launch(const Lookup& lookup) {
  for (const Variables& launcher : kLaunchers) {
    const auto processes = number(lookup, launcher.count);
    if (!processes || *processes < 1) continue;
    return {*processes, number(lookup, launcher.rank).value_or(0), launcher.count};
  }
  return {};
}

bool talks(const Launched& launched) { return launched.rank == 0; }

std::optional<std::string> why_apart(const Launched& launched, const std::string& off, int seen,
                                     const std::string& library) {
  if (launched.processes < 2 || seen > 1) return std::nullopt;
  const std::string what =
      fmt::format("{} processes were launched ({}), but ", launched.processes, launched.variable);
  if (!off.empty()) {
    return fmt::format("{}this build has no MPI backend: {}; start one process, with --ranks {}",
                       what, off, launched.processes);
  }
  return fmt::format(
      "{}MPI ({}) sees one: another MPI's launcher started them; use the mpirun of {}, or with "
      "Slurm srun --mpi=pmix",
      what, library, library);
}

std::unique_ptr<World> enter_job(int* argc, char*** argv, const Launched& launched,
                                 bool wants_mpi) {
  const std::string off = mpi_off();
  std::unique_ptr<World> world;
  if (off.empty() && (launched.processes > 1 || wants_mpi)) {
    world = std::make_unique<World>(argc, argv);
  }
  const auto apart = why_apart(launched, off, world != nullptr ? world->size() : 1,
                               world != nullptr ? world->version() : "");
  if (apart) throw Error(ErrorKind::kEnvironment, *apart);
  return world;
}

void require_same_command(const World& world, const std::vector<std::string>& command) {
  const BuildInfo build = build_info();
  const std::string own =
      fmt::format("{} (version {}, revision {})",
                  fmt::join(command.begin() + std::min<std::ptrdiff_t>(1, std::ssize(command)),
                            command.end(), " "),
                  build.version, build.revision);
  const std::vector<std::string> all = world.exchange(own);
  const auto other = std::find_if(all.begin(), all.end(),
                                  [&](const std::string& said) { return said != all.front(); });
  if (other == all.end()) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("all processes need the same options and version, but rank 0 was started "
                          "with: {}\nand rank {} with: {}",
                          all.front(), other - all.begin(), *other));
}

std::string settled_backend(const Options& options, const World* world,
                            const GpuFinder& find_gpus) {
  const int processes = world != nullptr ? world->size() : 1;
  if (options.backend == "host" && processes > 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--backend host: runs in one process, but {} were launched; start it "
                            "without a launcher, or drop --backend",
                            processes));
  }
  const bool mpi = options.backend == "mpi" || (options.backend == "auto" && processes > 1);
  if (options.backend == "mpi" && processes == 1 && options.ranks != std::vector<int>{1}) {
    throw Error(ErrorKind::kEnvironment,
                "--backend mpi: only one process was started; start several: mpirun -np 4 "
                "allreduce-bench ... (or srun -n 4)");
  }
  std::string backend = mpi ? "mpi" : options.backend;
  if (backend == "auto") {
    backend = options.verb == Verb::kRun ? auto_backend(options, find_gpus()) : "host";
  }
  if (!mpi && options.path != "auto") {
    throw Error(ErrorKind::kUsage,
                "--path: only the mpi backend has a choice; start with mpirun -np N");
  }
  const int most =
      options.ranks.empty() ? 0 : *std::max_element(options.ranks.begin(), options.ranks.end());
  if (mpi && most > processes) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--ranks {}: only {} process{} launched; start {} (mpirun -np {}), or ask "
                    "for fewer",
                    most, processes, processes == 1 ? " was" : "es were", most, most));
  }
  if (backend == "cuda") require_room(options, world, find_gpus());
  require_algorithms_of(backend, options);
  return backend;
}

}  // namespace arb
