#include "verify/prove_graph.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <unordered_map>

namespace arb {
namespace {

struct FifoKey {
  int source, target, channel;
  bool operator==(const FifoKey&) const = default;
};

struct FifoHash {
  size_t operator()(const FifoKey& key) const {
    uint64_t hash = static_cast<uint32_t>(key.source);
    hash = hash * 0x9E3779B97F4A7C15U + static_cast<uint32_t>(key.target);
    hash = hash * 0x9E3779B97F4A7C15U + static_cast<uint32_t>(key.channel);
    return static_cast<size_t>(hash ^ (hash >> 29));
  }
};

struct Fifo {
  std::vector<int> sends, receives;  // nodes, in program order
};

std::string name(const FifoKey& key) {
  return "FIFO from rank " + std::to_string(key.source) + " to rank " + std::to_string(key.target) +
         ", channel " + std::to_string(key.channel);
}

}  // namespace

StepGraph::StepGraph(const Schedule& schedule, int slots, FindingList& findings) {
  number(schedule);
  pair_messages(schedule, slots, findings);
  pair_events(findings);
}

void StepGraph::number(const Schedule& schedule) {
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    const auto& lanes = schedule.lanes[static_cast<size_t>(rank)];
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
      const int begin = size();
      for (const Step& step : lanes[lane].steps) steps_.push_back(&step);
      lane_of_.resize(steps_.size(), static_cast<int>(lanes_.size()));
      lanes_.push_back({rank, static_cast<int>(lane), begin, size()});
    }
  }
  for (auto* edges : {&sender_, &receiver_, &slot_, &event_}) edges->assign(steps_.size(), kNone);
}

void StepGraph::pair_messages(const Schedule& schedule, int slots, FindingList& findings) {
  std::vector<std::pair<FifoKey, Fifo>> fifos;
  std::unordered_map<FifoKey, size_t, FifoHash> index;
  const auto find = [&](const FifoKey& key) -> Fifo& {
    const auto [entry, fresh] = index.try_emplace(key, fifos.size());
    if (fresh) fifos.push_back({key, {}});
    return fifos[entry->second].second;
  };
  for (const LaneSpan& lane : lanes_) {
    const int channel =
        schedule.lanes[static_cast<size_t>(lane.rank)][static_cast<size_t>(lane.lane)].channel;
    for (int node = lane.begin; node < lane.end; ++node) {
      if (step(node).send_to != kNone) {
        find({lane.rank, step(node).send_to, channel}).sends.push_back(node);
      }
      if (step(node).recv_from != kNone) {
        find({step(node).recv_from, lane.rank, channel}).receives.push_back(node);
      }
    }
  }
  for (const auto& entry : fifos) {
    const FifoKey& key = entry.first;
    const Fifo& fifo = entry.second;
    const auto one_lane = [&](const std::vector<int>& nodes, const char* what) {
      const auto other = std::find_if(nodes.begin(), nodes.end(), [&](int node) {
        return lane_index(node) != lane_index(nodes.front());
      });
      if (other == nodes.end()) return;
      report(
          findings, "fifo", *other,
          std::string(what) + " the " + name(key) + ", which belongs to " + where(nodes.front()));
    };
    one_lane(fifo.sends, "sends into");
    one_lane(fifo.receives, "receives from");
    const size_t pairs = std::min(fifo.sends.size(), fifo.receives.size());
    for (size_t i = 0; i < pairs; ++i) {
      sender_[static_cast<size_t>(fifo.receives[i])] = fifo.sends[i];
      receiver_[static_cast<size_t>(fifo.sends[i])] = fifo.receives[i];
      const size_t reuse = i + static_cast<size_t>(slots);
      if (reuse < fifo.sends.size()) {
        slot_[static_cast<size_t>(fifo.sends[reuse])] = fifo.receives[i];
      }
    }
    if (fifo.sends.size() > pairs) {
      report(findings, "fifo", fifo.sends[pairs],
             "sends message " + std::to_string(pairs + 1) + " of the " + name(key) +
                 ", where only " + std::to_string(pairs) + " are received");
    } else if (fifo.receives.size() > pairs) {
      report(findings, "fifo", fifo.receives[pairs],
             "waits for message " + std::to_string(pairs + 1) + " of the " + name(key) +
                 ", where only " + std::to_string(pairs) + " are sent");
    }
  }
}

void StepGraph::pair_events(FindingList& findings) {
  std::vector<std::tuple<int, int, int>> marks;  // rank, event, node
  for (int node = 0; node < size(); ++node) {
    if (step(node).marks != kNone) marks.emplace_back(rank(node), step(node).marks, node);
  }
  std::sort(marks.begin(), marks.end());
  for (size_t i = 1; i < marks.size(); ++i) {
    const auto& [rank, event, node] = marks[i];
    if (std::get<0>(marks[i - 1]) == rank && std::get<1>(marks[i - 1]) == event) {
      report(findings, "malformed", node,
             "marks event " + std::to_string(event) + " a second time, after " +
                 where(std::get<2>(marks[i - 1])));
    }
  }
  for (int node = 0; node < size(); ++node) {
    const int event = step(node).after;
    if (event == kNone) continue;
    const auto found =
        std::lower_bound(marks.begin(), marks.end(), std::make_tuple(rank(node), event, 0));
    if (found == marks.end() || std::get<0>(*found) != rank(node) || std::get<1>(*found) != event) {
      report(findings, "malformed", node,
             "waits for event " + std::to_string(event) + ", which no step of the rank marks");
    } else {
      event_[static_cast<size_t>(node)] = std::get<2>(*found);
    }
  }
}

void StepGraph::report(FindingList& findings, const char* kind, int node,
                       const std::string& text) const {
  const LaneSpan& lane = span(node);
  findings.add(kind, lane.rank, lane.lane, node - lane.begin, text);
}

std::string StepGraph::where(int node) const {
  const LaneSpan& lane = span(node);
  return "rank " + std::to_string(lane.rank) + " lane " + std::to_string(lane.lane) + " step " +
         std::to_string(node - lane.begin);
}

}  // namespace arb
