#include "bench/build_info.hpp"

#include <fmt/format.h>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/gpus.hpp"

namespace arb {

namespace {

Backend find_backend(const std::string& name) {
  for (const Backend& backend : backends()) {
    if (backend.name == name) return backend;
  }
  throw Error(ErrorKind::kInternal, "no backend is called '" + name + "'");
}

}  // namespace

BuildInfo build_info() { return {ARB_VERSION, ARB_REVISION, ARB_BUILD}; }

std::string version_text() {
  const BuildInfo info = build_info();
  return fmt::format("allreduce-bench {} (revision {}; {})\n", info.version, info.revision,
                     info.build);
}

std::vector<Backend> backends() {
  return {{"host", "", "ranks of one process on the cores of this machine"},
          {"mpi", ARB_MPI_REASON, "one rank per process under mpirun or srun"},
          {"cuda", cuda_off(), "ranks on the GPUs of this machine"}};
}

void require_backend(const std::string& backend, std::optional<int> gpus) {
  const std::string off = find_backend(backend == "auto" ? "host" : backend).off;
  if (off.empty()) return;
  if (gpus) {
    throw Error(ErrorKind::kEnvironment,
                fmt::format("asked for {} GPU{}, found none: this build has no CUDA backend: {}",
                            *gpus, *gpus == 1 ? "" : "s", off));
  }
  throw Error(ErrorKind::kEnvironment,
              fmt::format("--backend {}: this build has no {} backend: {}; try --backend host",
                          backend, backend, off));
}

}  // namespace arb
