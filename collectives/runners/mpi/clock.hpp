// One clock for the ranks of several nodes. Ranks of a node share CLOCK_MONOTONIC; the clock of
// each other node is compared with that of rank 0 by round trips of its first rank.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "collectives/runners/mpi/clock_fit.hpp"
#include "collectives/runners/mpi/waiting.hpp"

namespace arb {

class ClockSync {
 public:
  using Now = std::function<double()>;

  /// Collective over `comm`. node_of[rank] names the node of every rank, the same on all ranks.
  /// `on_wait` is called wherever this waits, and may throw to end the wait. Error{kInternal}
  /// unless there is a node for every rank.
  ClockSync(MPI_Comm comm, std::vector<int> node_of, std::function<void()> on_wait = {},
            Now now = node_seconds);

  /// Collective: node after node, while the others sleep, at most 50 ms (or 8 round trips) each.
  /// The lines of the last 8 calls are fitted together, so that the third call, 0.1 s after the
  /// first, is the first to know drift. residual() is true between the first and the last of these
  /// calls: call this before and after what is timed, and convert the times afterwards.
  void measure();

  /// What rank 0's clock showed when this rank's showed `local_seconds`. Before measure(): the
  /// same.
  double to_common(double local_seconds) const { return line_.to_remote(local_seconds); }

  /// What to_common() is likely to be off by: of all nodes the largest, the same bits on every
  /// rank. Infinite before measure(). Two nodes other than rank 0's may be apart by twice that.
  double residual() const { return residual_; }
  /// What no estimate can be off by, even if messages take longer one way: half the round trip.
  double bound() const { return bound_; }
  /// All ranks are on one node: to_common() is the identity, and measure() does nothing.
  bool common() const { return common_; }

 private:
  enum class Wait { kSpin, kSleep };
  struct Message {
    double more = 0;  // of a leader: 1 asks for the time, 0 brings the line
    double time = 0;
    ClockLine line;
    double residual = 0;
    double bound = 0;
  };

  bool leads() const { return leader_of_[static_cast<size_t>(rank_)] == rank_; }
  void serve();
  std::vector<Probe> probe();
  void pause(Wait wait) const;
  void send(int to, int tag, const Message& message);
  Message receive(int from, int tag, Wait wait) const;

  std::function<void()> on_wait_;
  Now now_;
  std::vector<int> leader_of_;  // [rank]: the first rank of its node
  bool common_ = true;
  int rank_ = 0;
  Communicator comm_;                     // none if common
  Message outgoing_;                      // outlives a send whose wait was ended
  std::vector<ClockEstimate> estimates_;  // of a leader, oldest first
  ClockLine line_;
  double residual_ = 0;
  double bound_ = 0;
};

}  // namespace arb
