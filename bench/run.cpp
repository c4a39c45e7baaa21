#include "bench/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "bench/gpu_room.hpp"
#include "bench/job.hpp"
#include "bench/platform.hpp"
#include "bench/sweep_run.hpp"
#include "bench/system.hpp"
#include "collectives/error.hpp"
#include "verify/inject.hpp"

namespace arb {
namespace {

CrewControl control_of(const Fault& fault, const std::atomic<bool>& interrupted,
                       const Watchdog* watchdog) {
  CrewControl control;
  control.interrupted = &interrupted;
  if (watchdog != nullptr) control.deadline = watchdog->deadline();
  if (fault.kind == FaultKind::kStall) {
    control.fault.stall_rank = fault.rank;
    control.fault.stall_from = fault.iteration;
  } else if (fault.kind == FaultKind::kDelay) {
    control.fault.delay_rank = fault.rank;
    control.fault.delay_every = std::max(1L, fault.iteration);
    control.fault.delay_seconds = fault.seconds;
  } else if (fault.kind == FaultKind::kSlow) {
    control.fault.slow_rank = fault.rank;
    control.fault.slow_share = fault.share;
  }
  return control;
}

void remark(const Options& options) {
  const std::string text = options.backend == "auto" ? auto_remark(options, gpus_here()) : "";
  if (!text.empty()) fmt::print(stderr, "allreduce-bench: {}\n", text);
}

/// What slots are cut for and what decides how a case is run must be the same in all processes.
void share_caches(System& system, const World& world) {
  const std::string leaders = world.broadcast(
      fmt::format("{} {}", system.topology.l2_bytes, system.topology.last_level_bytes));
  const size_t blank = leaders.find(' ');
  system.topology.l2_bytes = std::stoull(leaders.substr(0, blank));
  system.topology.last_level_bytes = std::stoull(leaders.substr(blank + 1));
}

/// The watchdog asks where the program stands only as long as there is a platform to ask.
class Asked {
 public:
  Asked(Watchdog* watchdog, Platform& platform) : watchdog_(watchdog) {
    if (watchdog_ != nullptr) watchdog_->ask([&platform] { return platform.where(); });
  }
  ~Asked() {
    if (watchdog_ != nullptr) watchdog_->ask({});
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

 private:
  Watchdog* watchdog_;
};

}  // namespace

int run_sweep(const Options& options, const std::vector<std::string>& command,
              const std::atomic<bool>& interrupted, const World* world, Watchdog* watchdog) {
  const std::string backend = settled_backend(options, world);
  System system = read_system();
  Fault fault;
  if (!options.inject.empty()) fault = parse_fault(options.inject);
  if (fault.kind == FaultKind::kSlow && backend == "cuda") {
    throw Error(ErrorKind::kUsage,
                "--inject slow: the ranks of the cuda backend run in a kernel and are not held "
                "back; use --backend host or mpi");
  }
  const CrewControl control = control_of(fault, interrupted, watchdog);
  if (world == nullptr) remark(options);
  std::unique_ptr<Platform> platform;
  if (backend == "mpi" && world != nullptr) {
    share_caches(system, *world);
    platform = mpi_platform(*world, options, system, control);
  } else if (backend == "cuda") {
    platform = cuda_platform(world, options, system, control);
  } else {
    platform = host_platform(options, system, control);
  }
  const Asked asked(watchdog, *platform);
  const int code = Sweep(options, command, system, *platform, fault, control).run();
  return std::stoi(platform->follow(std::to_string(code)));
}

}  // namespace arb
