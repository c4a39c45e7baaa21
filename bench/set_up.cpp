#include "bench/set_up.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace arb {

CrewControl control_of(const Fault& fault, const std::atomic<bool>& interrupted) {
  CrewControl control;
  control.interrupted = &interrupted;
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

void share_caches(System& system, const World& world) {
  const std::string leaders = world.broadcast(
      fmt::format("{} {}", system.topology.l2_bytes, system.topology.last_level_bytes));
  const size_t blank = leaders.find(' ');
  system.topology.l2_bytes = std::stoull(leaders.substr(0, blank));
  system.topology.last_level_bytes = std::stoull(leaders.substr(blank + 1));
}

std::unique_ptr<Platform> make_platform(const std::string& backend, const World* world,
                                        const Options& options, const System& system,
                                        const CrewControl& control) {
  if (backend == "cuda") return cuda_platform(world, options, system, control);
  if (backend == "mpi" && world != nullptr) return mpi_platform(*world, options, system, control);
  return host_platform(options, system, control);
}

}  // namespace arb
