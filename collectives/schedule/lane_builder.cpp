#include "collectives/schedule/lane_builder.hpp"

#include <utility>

#include "collectives/error.hpp"

namespace arb {

LaneBuilder::LaneBuilder(Schedule& schedule, int rank, std::string name, int channel)
    : schedule_(schedule), rank_(rank) {
  auto& lanes = schedule.lanes.at(static_cast<size_t>(rank));
  lane_ = lanes.size();
  lanes.push_back({std::move(name), channel, {}});
}

LaneBuilder& LaneBuilder::send(Slice local, int to) {
  return add({.send_to = to, .local = local, .store = {}});
}

LaneBuilder& LaneBuilder::recv(Slice store, int from) {
  return add({.recv_from = from, .local = {}, .store = store});
}

LaneBuilder& LaneBuilder::copy(Slice local, Slice store) {
  return add({.local = local, .store = store});
}

LaneBuilder& LaneBuilder::copy_send(Slice local, Slice store, int to) {
  return add({.send_to = to, .local = local, .store = store});
}

LaneBuilder& LaneBuilder::recv_send(int from, int to) {
  return add({.recv_from = from, .send_to = to, .local = {}, .store = {}});
}

LaneBuilder& LaneBuilder::recv_store_send(Slice store, int from, int to) {
  return add({.recv_from = from, .send_to = to, .local = {}, .store = store});
}

LaneBuilder& LaneBuilder::recv_reduce(Slice local, Slice store, int from) {
  return add({.recv_from = from, .local = local, .store = store});
}

LaneBuilder& LaneBuilder::recv_reduce_send(Slice local, int from, int to) {
  return add({.recv_from = from, .send_to = to, .local = local, .store = {}});
}

LaneBuilder& LaneBuilder::recv_reduce_store_send(Slice local, Slice store, int from, int to) {
  return add({.recv_from = from, .send_to = to, .local = local, .store = store});
}

LaneBuilder& LaneBuilder::after(int event) {
  if (pending_after_ != kNone) {
    throw Error(ErrorKind::kInternal, "a step can wait for one event only");
  }
  pending_after_ = event;
  return *this;
}

LaneBuilder& LaneBuilder::mark(int event) {
  auto& steps = schedule_.lanes[static_cast<size_t>(rank_)][lane_].steps;
  if (steps.empty() || steps.back().marks != kNone) {
    throw Error(ErrorKind::kInternal, "a mark needs a step before it that marks nothing yet");
  }
  steps.back().marks = event;
  return *this;
}

LaneBuilder& LaneBuilder::add(Step step) {
  step.after = std::exchange(pending_after_, kNone);
  schedule_.lanes[static_cast<size_t>(rank_)][lane_].steps.push_back(step);
  return *this;
}

}  // namespace arb
