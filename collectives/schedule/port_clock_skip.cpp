// Tiles repeat themselves soon: the same state again, some tiles on. Then whole periods are skipped
// and only the end is run, so that a message of millions of tiles costs no more than one of some
// dozens.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "collectives/schedule/port_clock.hpp"

namespace arb {
namespace {

// Looked through for a repetition. Two trees that share ports may take thousands of tiles to come
// back to the same state; the average pace is then within 1 % of the truth.
constexpr size_t kMostStates = 512;

}  // namespace

/// All that decides what comes next, counted from now and, in each group, from the tile that was
/// done last. How far an event is ahead of those who wait for it is left to repetitions().
std::vector<double> PortClock::state() const {
  std::vector<double> state;
  for (const GroupState& group : groups_) state.push_back(group.done == tiles_ ? 1 : 0);
  for (size_t l = 0; l < lanes_.size(); ++l) {
    state.push_back(static_cast<double>(lanes_[l].step));
    state.push_back(static_cast<double>(lanes_[l].tile - groups_[flat_.lanes[l].group].done));
  }
  for (const FifoState& fifo : fifos_) {
    state.push_back(static_cast<double>(fifo.delivered - fifo.read));
  }
  for (const auto* ports : {&send_free_, &receive_free_}) {
    for (const double free : *ports) state.push_back(std::max(0.0, free - now_));
  }
  std::vector<Arrival> arrivals = pending_;
  std::sort(arrivals.begin(), arrivals.end(),
            [](const Arrival& a, const Arrival& b) { return later(b, a); });
  for (const Arrival& arrival : arrivals) {
    state.insert(state.end(), {arrival.time - now_, arrival.whole ? 1.0 : 0.0,
                               static_cast<double>(arrival.fifo), arrival.cost});
  }
  return state;
}

void PortClock::look_for_repetition() {
  Moment here{now_, {}};
  for (const GroupState& group : groups_) here.done.push_back(group.done);
  const auto [found, fresh] = seen_.try_emplace(state(), moments_.size());
  moments_.push_back(here);
  const bool enough = moments_.size() >= kMostStates;
  if (fresh && !enough) return;
  const bool skipped = skip(moments_[fresh ? most_alike(found->first) : found->second], here);
  if (!skipped && !enough) return;
  seen_.clear();
  moments_.clear();
}

/// The moment of the first half that differs least from `state` in where lanes and messages are: so
/// a period is nearly whole.
size_t PortClock::most_alike(const std::vector<double>& state) const {
  const size_t compared = groups_.size() + 2 * lanes_.size() + fifos_.size();
  size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [other, moment] : seen_) {
    if (moment > kMostStates / 2) continue;
    double sum = 0;
    for (size_t i = 0; i < compared; ++i) sum += std::abs(state[i] - other[i]);
    if (sum < least) std::tie(least, best) = std::pair(sum, moment);
  }
  return best;
}

/// How often the period from `before` to `here` can be repeated without a lane in the last tile,
/// which may be shorter, and with every event marked in time that was so throughout the period. (An
/// event that holds back its waiting lanes goes with them: the two advance alike.)
size_t PortClock::repetitions(const Moment& before, const Moment& here) const {
  const auto period = [&](size_t group) { return here.done[group] - before.done[group]; };
  size_t most = std::numeric_limits<size_t>::max();
  for (size_t l = 0; l < lanes_.size(); ++l) {
    const size_t tiles = period(flat_.lanes[l].group);
    if (tiles == 0) continue;
    const size_t reserved = lanes_[l].tile + 2;
    most = std::min(most, reserved > tiles_ ? 0 : (tiles_ - reserved) / tiles);
  }
  for (const Wait& wait : waits_) {
    const size_t waits = period(flat_.lanes[wait.lane].group);
    const size_t marks = period(wait.marking_group);
    if (waits == marks) continue;
    const auto event = static_cast<size_t>(wait.event);
    if (held_back_[event] >= before.time) return 0;
    const size_t needed = lanes_[wait.lane].tile + waits + 1;
    if (waits < marks) continue;
    most =
        std::min(most, needed > marked_[event] ? 0 : (marked_[event] - needed) / (waits - marks));
  }
  return most;
}

/// False: not even once.
bool PortClock::skip(const Moment& before, const Moment& here) {
  const size_t times = repetitions(before, here);
  if (times == 0) return false;
  const auto tiles = [&](size_t group) { return times * (here.done[group] - before.done[group]); };
  for (size_t g = 0; g < groups_.size(); ++g) groups_[g].done += tiles(g);
  for (size_t l = 0; l < lanes_.size(); ++l) {
    const FlatLane& lane = flat_.lanes[l];
    lanes_[l].tile += tiles(lane.group);
    for (size_t s = lane.begin; s < lane.end; ++s) {
      const int event = flat_.steps[s].marks;
      if (event != kNone) marked_[static_cast<size_t>(event)] += tiles(lane.group);
    }
  }
  const double time = static_cast<double>(times) * (here.time - before.time);
  now_ += time;
  for (auto* ports : {&send_free_, &receive_free_}) {
    for (double& free : *ports) free += time;
  }
  for (Arrival& arrival : pending_) arrival.time += time;
  return true;
}

}  // namespace arb
