// How a process of a job waits: it spins, yields where cores are shared, and gives up when the time
// limit has passed. In a simulation (SMPI) waiting is one call, because only calls take time there.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collectives/runners/host/barrier.hpp"
#include "collectives/runners/mpi/mpi.hpp"

namespace arb {

#ifdef ARB_SIMULATED
inline constexpr bool kSimulated = true;
#else
inline constexpr bool kSimulated = false;
#endif

/// Seconds on this node's clock; in a simulation, simulated seconds.
double node_seconds();

class Waiting {
 public:
  /// spins: polls before the core is yielded; 0 where there are more processes than cores.
  explicit Waiting(unsigned spins) : spins_(spins) {}

  void set_deadline(std::optional<std::chrono::steady_clock::time_point> deadline) {
    deadline_ = deadline;
  }
  /// Raised from a signal handler. A launcher that lost a process tells the others to end, and
  /// kills them a second later (Open MPI): who waits in vain for `kCourtesy` gives up.
  void set_interrupt(const std::atomic<bool>* interrupted) { interrupted_ = interrupted; }

  bool expired() const {
    return (deadline_ && std::chrono::steady_clock::now() > *deadline_) || told_to_end();
  }
  bool told_to_end() const;
  unsigned spins() const { return spins_; }

  /// One poll that found nothing. False: the time limit has passed.
  bool pause(Patience& patience) const {
    patience.wait();
    return patience.waited() % kPollsPerLook != 0 || !expired();
  }

  /// Until clock() shows `seconds`. False: the time limit has passed. In a simulation time goes by.
  bool until(const std::function<double()>& clock, double seconds) const;

  /// Until the request is complete. Throws Error{kTimeLimit}.
  void complete(MPI_Request& request, const char* what) const;

  /// The same for somebody who has nothing to do meanwhile: sleeps between polls.
  void rest(MPI_Request& request, const char* what) const;

  /// Allgather of texts of any length, allgather order = rank. Throws Error{kTimeLimit}.
  std::vector<std::string> exchange(const std::string& own, const Communicator& comm) const;

 private:
  static constexpr unsigned kPollsPerLook = 64;  // at the clock
  static constexpr auto kCourtesy = std::chrono::milliseconds(300);

  unsigned spins_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  const std::atomic<bool>* interrupted_ = nullptr;
  mutable std::optional<std::chrono::steady_clock::time_point> told_at_;  // as first seen
};

}  // namespace arb
