#include "bench/run.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "bench/gpu_room.hpp"
#include "bench/job.hpp"
#include "bench/platform.hpp"
#include "bench/set_up.hpp"
#include "bench/sweep_run.hpp"
#include "bench/system.hpp"
#include "collectives/error.hpp"
#include "verify/inject.hpp"

namespace arb {
namespace {

void remark(const Options& options) {
  const std::string text = options.backend == "auto" ? auto_remark(options, gpus_here()) : "";
  if (!text.empty()) fmt::print(stderr, "allreduce-bench: {}\n", text);
}

}  // namespace

int run_sweep(const Options& options, const std::vector<std::string>& command,
              const std::atomic<bool>& interrupted, const World* world, Watchdog* watchdog) {
  const std::string backend = settled_backend(options, world);
  System system = read_system();
  if (world != nullptr) share_caches(system, *world);
  Fault fault;
  if (!options.inject.empty()) fault = parse_fault(options.inject);
  if (fault.kind == FaultKind::kSlow && backend == "cuda") {
    throw Error(ErrorKind::kUsage,
                "--inject slow: the ranks of the cuda backend run in a kernel and are not held "
                "back; use --backend host or mpi");
  }
  CrewControl control = control_of(fault, interrupted);
  if (watchdog != nullptr) control.deadline = watchdog->deadline();
  if (world == nullptr) remark(options);
  const std::unique_ptr<Platform> platform =
      make_platform(backend, world, options, system, control);
  const Asked asked(watchdog, *platform);
  const int code = Sweep(options, command, system, *platform, fault, control).run();
  return std::stoi(platform->follow(std::to_string(code)));
}

}  // namespace arb
