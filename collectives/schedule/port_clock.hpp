// The events of a schedule on a network of ports, in order of time (virtual_clock.hpp has the
// rules).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "collectives/schedule/flat_schedule.hpp"

namespace arb {

struct PortCosts {
  double latency = 0;  // of a message
  double byte = 0;     // in a port
};

/// Times are sums of costs. They are exact, so that ways of equal cost take equally long and
/// repetition can be seen, as long as all costs are multiples of one power of two that is not too
/// small (bytes of cost 1, a latency of so many 1/1024).
class PortClock {
 public:
  PortClock(FlatSchedule flat, size_t tiles, int slots, const PortCosts& costs);

  /// Until all lanes are through all tiles; `skip`: whole periods of tiles that repeat themselves.
  /// Throws Error{kInternal} if the schedule waits for itself. Once only.
  double run(bool skip);

 private:
  struct LaneState {
    size_t step, tile;
  };
  struct FifoState {
    int64_t sent = 0, delivered = 0, read = 0;  // messages
  };
  struct GroupState {
    size_t lanes = 0;
    size_t done = 0;                // tiles that all of its lanes are through
    std::deque<size_t> unfinished;  // lanes, of the tiles from `done` on
  };
  struct Wait {  // of a step for an event
    int event;
    size_t lane, marking_group;
  };
  struct Arrival {
    double time;
    bool whole;  // else the first byte
    int fifo;
    double cost;
    auto key() const { return std::tie(time, whole, fifo, cost); }
  };
  struct Moment {
    double time;
    std::vector<size_t> done;  // [group]
  };

  /// Nothing but the state decides between arrivals at the same time, or equal states could go on
  /// differently.
  static bool later(const Arrival& a, const Arrival& b) { return a.key() > b.key(); }

  void settle();
  void advance(int lane);
  bool ready(const FlatStep& step, size_t tile);
  void apply(const FlatStep& step, size_t tile, size_t rank);
  void finish(size_t tile, GroupState& group);
  void take(const Arrival& arrival);
  void push(const Arrival& arrival);

  std::vector<double> state() const;
  void look_for_repetition();
  size_t most_alike(const std::vector<double>& state) const;
  size_t repetitions(const Moment& before, const Moment& here) const;
  bool skip(const Moment& before, const Moment& here);

  FlatSchedule flat_;
  size_t tiles_;
  int64_t slots_;
  PortCosts costs_;
  std::vector<LaneState> lanes_;
  std::vector<FifoState> fifos_;
  std::vector<size_t> marked_;     // [event]: tiles for which it was marked
  std::vector<double> held_back_;  // [event]: when a lane last had to wait for it
  std::vector<Wait> waits_;
  std::vector<GroupState> groups_;
  std::vector<double> send_free_, receive_free_;  // [rank]
  std::vector<Arrival> pending_;                  // a heap, the earliest first
  std::vector<int> awake_;                        // lanes that may be able to go on
  double now_ = 0;
  bool tile_done_ = false;
  std::map<std::vector<double>, size_t> seen_;  // state -> moment
  std::vector<Moment> moments_;
};

}  // namespace arb
