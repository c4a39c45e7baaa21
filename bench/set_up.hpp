// What stands before a sweep: from a fault, a job and a machine to the platform it runs on.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "bench/platform.hpp"
#include "bench/watchdog.hpp"
#include "verify/inject.hpp"

namespace arb {

/// Without a deadline.
CrewControl control_of(const Fault& fault, const std::atomic<bool>& interrupted);

/// What slots are cut for and what decides how a case is run must be the same in all processes.
/// Collective.
void share_caches(System& system, const World& world);

/// `backend` as settled_backend() says; `world`: null for a process alone. What is passed outlives
/// it. Collective.
std::unique_ptr<Platform> make_platform(const std::string& backend, const World* world,
                                        const Options& options, const System& system,
                                        const CrewControl& control);

/// A watchdog asks where the program stands only as long as there is a platform to ask.
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

}  // namespace arb
