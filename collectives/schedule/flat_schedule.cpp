#include "collectives/schedule/flat_schedule.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

#include "collectives/error.hpp"

namespace arb {
namespace {

[[noreturn]] void not_proved(const std::string& what) {
  throw Error(ErrorKind::kInternal, "the schedule is not proved: " + what + "; run prove on it");
}

struct Flattening {
  FlatSchedule flat;
  std::map<std::tuple<int, int, int>, int> ids;      // (from, to, channel) -> FIFO
  std::vector<std::vector<size_t>> sends, receives;  // [FIFO]: steps of one tile, in order
  std::vector<Slice> slices;                         // [step]; none: what was received
  std::vector<size_t> up;                            // [lane]: towards the first of its group

  int fifo(int from, int to, int channel) {
    const auto [found, fresh] = ids.try_emplace({from, to, channel}, static_cast<int>(ids.size()));
    if (fresh) {
      flat.fifos.emplace_back();
      sends.emplace_back();
      receives.emplace_back();
    }
    return found->second;
  }

  void lane(int rank, const Lane& from, int first_event) {
    const size_t begin = flat.steps.size();
    const int number = static_cast<int>(flat.lanes.size());
    for (const Step& step : from.steps) {
      FlatStep to;
      if (step.recv_from != kNone) {
        to.in = fifo(step.recv_from, rank, from.channel);
        flat.fifos[static_cast<size_t>(to.in)].receiver = number;
        receives[static_cast<size_t>(to.in)].push_back(flat.steps.size());
      }
      if (step.send_to != kNone) {
        to.out = fifo(rank, step.send_to, from.channel);
        flat.fifos[static_cast<size_t>(to.out)].sender = number;
        sends[static_cast<size_t>(to.out)].push_back(flat.steps.size());
      }
      if (step.after != kNone) to.after = first_event + step.after;
      if (step.marks != kNone) to.marks = first_event + step.marks;
      flat.steps.push_back(to);
      slices.push_back(step.local ? step.local : step.store);
    }
    flat.lanes.push_back({static_cast<size_t>(rank), begin, flat.steps.size(), 0});
  }

  void number(const Schedule& schedule) {
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      const auto first_event = static_cast<int>(flat.events);
      flat.first_lane.push_back(flat.lanes.size());
      for (const Lane& each : schedule.lanes[static_cast<size_t>(rank)]) {
        if (!each.steps.empty()) lane(rank, each, first_event);
        for (const Step& step : each.steps) {
          const int events = first_event + std::max(step.after, step.marks) + 1;
          flat.events = std::max(flat.events, static_cast<size_t>(events));
        }
      }
    }
    flat.first_lane.push_back(flat.lanes.size());
  }

  /// A step that only passes a message on has its chunks from the sender: the i-th receive of a
  /// FIFO takes its i-th message.
  void weigh(const Tiling& tiling, size_t element_bytes) {
    std::vector<size_t> source(flat.steps.size());
    for (size_t f = 0; f < sends.size(); ++f) {
      if (sends[f].size() != receives[f].size()) {
        not_proved("a FIFO has unequal numbers of sends and receives");
      }
      for (size_t i = 0; i < sends[f].size(); ++i) source[receives[f][i]] = sends[f][i];
    }
    for (size_t s = 0; s < flat.steps.size(); ++s) {
      if (flat.steps[s].out == kNone) continue;
      size_t origin = s;
      for (size_t hops = 0; !slices[origin]; ++hops) {
        if (hops == flat.steps.size()) not_proved("a message goes around in a circle");
        origin = source[origin];
      }
      const auto bytes = [&](size_t tile) {
        const Range range = tiling.range(tile, slices[origin].first, slices[origin].count);
        return static_cast<double>(range.size) * static_cast<double>(element_bytes);
      };
      flat.steps[s].bytes = bytes(0);
      flat.steps[s].last_bytes = bytes(tiling.tiles() - 1);
    }
  }

  size_t top(size_t lane) {
    while (up[lane] != lane) lane = up[lane] = up[up[lane]];
    return lane;
  }

  void group() {
    up.resize(flat.lanes.size());
    std::iota(up.begin(), up.end(), size_t{0});
    for (const FlatFifo& each : flat.fifos) {
      up[top(static_cast<size_t>(each.sender))] = top(static_cast<size_t>(each.receiver));
    }
    std::map<size_t, size_t> groups;
    for (size_t l = 0; l < flat.lanes.size(); ++l) {
      flat.lanes[l].group = groups.try_emplace(top(l), groups.size()).first->second;
    }
    flat.groups = groups.size();
  }
};

}  // namespace

FlatSchedule flatten(const Schedule& schedule, const Tiling& tiling, size_t element_bytes) {
  Flattening flattening;
  flattening.number(schedule);
  flattening.weigh(tiling, element_bytes);
  flattening.group();
  return std::move(flattening.flat);
}

}  // namespace arb
