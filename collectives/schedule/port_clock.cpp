#include "collectives/schedule/port_clock.hpp"

#include <algorithm>
#include <utility>

#include "collectives/error.hpp"

namespace arb {
namespace {

template <typename Items>
auto& at(Items& items, int index) {
  return items[static_cast<size_t>(index)];
}

}  // namespace

PortClock::PortClock(FlatSchedule flat, size_t tiles, int slots, const PortCosts& costs)
    : flat_(std::move(flat)),
      tiles_(tiles),
      slots_(slots),
      costs_(costs),
      fifos_(flat_.fifos.size()),
      marked_(flat_.events),
      held_back_(flat_.events, -1),
      groups_(flat_.groups),
      send_free_(flat_.first_lane.size() - 1),
      receive_free_(send_free_.size()) {
  std::vector<size_t> marking_group(flat_.events);
  for (const FlatLane& lane : flat_.lanes) {
    lanes_.push_back({lane.begin, 0});
    ++groups_[lane.group].lanes;
    for (size_t s = lane.begin; s < lane.end; ++s) {
      if (flat_.steps[s].marks != kNone) at(marking_group, flat_.steps[s].marks) = lane.group;
    }
  }
  for (size_t l = 0; l < lanes_.size(); ++l) {
    for (size_t s = flat_.lanes[l].begin; s < flat_.lanes[l].end; ++s) {
      const int event = flat_.steps[s].after;
      if (event != kNone) waits_.push_back({event, l, at(marking_group, event)});
    }
  }
}

double PortClock::run(bool skip) {
  for (size_t lane = 0; lane < lanes_.size(); ++lane) awake_.push_back(static_cast<int>(lane));
  settle();
  while (!pending_.empty()) {
    std::pop_heap(pending_.begin(), pending_.end(), later);
    const Arrival arrival = pending_.back();
    pending_.pop_back();
    now_ = arrival.time;
    take(arrival);
    settle();
    if (tile_done_ && skip) look_for_repetition();
    tile_done_ = false;
  }
  const bool through = std::all_of(lanes_.begin(), lanes_.end(),
                                   [&](const LaneState& lane) { return lane.tile == tiles_; });
  if (!through) {
    throw Error(ErrorKind::kInternal,
                "the schedule waits for itself: it is not proved for this many slots");
  }
  return now_;
}

void PortClock::settle() {
  for (size_t i = 0; i < awake_.size(); ++i) advance(awake_[i]);
  awake_.clear();
}

void PortClock::advance(int lane) {
  LaneState& state = at(lanes_, lane);
  const FlatLane& fixed = at(flat_.lanes, lane);
  while (state.tile < tiles_ && ready(flat_.steps[state.step], state.tile)) {
    apply(flat_.steps[state.step], state.tile, fixed.rank);
    if (++state.step == fixed.end) {
      state.step = fixed.begin;
      finish(state.tile++, groups_[fixed.group]);
    }
  }
}

bool PortClock::ready(const FlatStep& step, size_t tile) {
  if (step.in != kNone && at(fifos_, step.in).delivered == at(fifos_, step.in).read) return false;
  if (step.out != kNone && at(fifos_, step.out).sent - at(fifos_, step.out).read >= slots_) {
    return false;
  }
  if (step.after == kNone || at(marked_, step.after) > tile) return true;
  at(held_back_, step.after) = now_;
  return false;
}

void PortClock::apply(const FlatStep& step, size_t tile, size_t rank) {
  if (step.out != kNone) {
    const double cost = costs_.byte * (tile + 1 == tiles_ ? step.last_bytes : step.bytes);
    const double leaves = std::max(now_, send_free_[rank]);
    send_free_[rank] = leaves + cost;
    ++at(fifos_, step.out).sent;
    push({leaves + costs_.latency, false, step.out, cost});
  }
  if (step.in != kNone) {
    ++at(fifos_, step.in).read;
    awake_.push_back(at(flat_.fifos, step.in).sender);
  }
  if (step.marks != kNone) {
    at(marked_, step.marks) = tile + 1;
    for (size_t lane = flat_.first_lane[rank]; lane < flat_.first_lane[rank + 1]; ++lane) {
      awake_.push_back(static_cast<int>(lane));
    }
  }
}

void PortClock::finish(size_t tile, GroupState& group) {
  const size_t place = tile - group.done;
  if (group.unfinished.size() <= place) group.unfinished.resize(place + 1, group.lanes);
  --group.unfinished[place];
  while (!group.unfinished.empty() && group.unfinished.front() == 0) {
    group.unfinished.pop_front();
    ++group.done;
    tile_done_ = true;
  }
}

void PortClock::take(const Arrival& arrival) {
  const int receiver = at(flat_.fifos, arrival.fifo).receiver;
  if (arrival.whole) {
    ++at(fifos_, arrival.fifo).delivered;
    awake_.push_back(receiver);
    return;
  }
  double& free = receive_free_[at(flat_.lanes, receiver).rank];
  free = std::max(now_, free) + arrival.cost;
  push({free, true, arrival.fifo, arrival.cost});
}

void PortClock::push(const Arrival& arrival) {
  pending_.push_back(arrival);
  std::push_heap(pending_.begin(), pending_.end(), later);
}

}  // namespace arb
