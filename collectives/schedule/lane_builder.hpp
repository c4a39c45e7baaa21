// The nine verbs from which every algorithm is written.
#pragma once

#include <cstddef>
#include <string>

#include "collectives/schedule/schedule.hpp"

namespace arb {

/// Appends one lane to `schedule.lanes[rank]` and steps to that lane. `after(event)` holds back the
/// NEXT step; `mark(event)` is signalled by the LAST step. Events are small non-negative numbers,
/// private to the rank.
class LaneBuilder {
 public:
  LaneBuilder(Schedule& schedule, int rank, std::string name = "main", int channel = 0);

  LaneBuilder& send(Slice local, int to);
  LaneBuilder& recv(Slice store, int from);
  LaneBuilder& copy(Slice local, Slice store);
  LaneBuilder& copy_send(Slice local, Slice store, int to);
  LaneBuilder& recv_send(int from, int to);
  LaneBuilder& recv_store_send(Slice store, int from, int to);
  LaneBuilder& recv_reduce(Slice local, Slice store, int from);
  LaneBuilder& recv_reduce_send(Slice local, int from, int to);
  LaneBuilder& recv_reduce_store_send(Slice local, Slice store, int from, int to);

  LaneBuilder& after(int event);
  LaneBuilder& mark(int event);

 private:
  LaneBuilder& add(Step step);

  Schedule& schedule_;
  int rank_;
  size_t lane_;
  int pending_after_ = kNone;
};

}  // namespace arb
