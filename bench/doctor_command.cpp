#include "bench/doctor_command.hpp"

#include <fmt/core.h>

#include "bench/build_info.hpp"
#include "bench/doctor.hpp"
#include "bench/measure/limits.hpp"
#include "collectives/runners/host/team.hpp"

namespace arb {
namespace {

bool has_mpi() {
  for (const Backend& backend : backends()) {
    if (backend.name == "mpi") return backend.off.empty();
  }
  return false;
}

}  // namespace

int run_doctor(const Options& options) {
  Examination examination;
  examination.system = read_system();
  examination.busy_cores = measure_busy_cores(examination.system.cpus, 0.2);
  if (has_mpi()) examination.mpirun = read_mpirun_needs(examination.system);  // before any thread
  Team team(options.workers.value_or(examination.system.usable_cores()), examination.system.cpus);
  examination.limits = measure_memory_limits(
      team, limit_array_bytes(examination.system.topology.last_level_bytes,
                              examination.system.usable_memory_bytes(), team.workers()));
  examination.gpus = examine_gpus();
  fmt::print("{}", doctor_text(examination));
  return 0;
}

}  // namespace arb
