// Lines carry nothing but themselves: that a message has come says nothing of what its sender, or
// whoever set it off, had stored before. So what one lane of a rank stores and another lane of it
// reads or overwrites has to be ordered by events of the rank. The proof of a schedule is content
// with any order; here is shown that those of the registry need no more than events.
#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "collectives/algorithms/registry.hpp"

namespace arb {
namespace {

struct Node {
  int rank, lane;
  const Step* step;
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<std::vector<size_t>> next;        // by lanes, messages and events
  std::vector<std::vector<size_t>> next_local;  // by lanes and events

  explicit Graph(const Schedule& schedule) {
    std::map<std::tuple<int, int, int>, std::vector<size_t>> sends, receives;
    std::map<std::pair<int, int>, std::vector<size_t>> marks, waits;
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      int number = 0;
      for (const Lane& lane : schedule.lanes[static_cast<size_t>(rank)]) {
        for (size_t s = 0; s < lane.steps.size(); ++s) {
          const Step& step = lane.steps[s];
          const size_t node = nodes.size();
          nodes.push_back({rank, number, &step});
          next.emplace_back();
          next_local.emplace_back();
          if (s > 0) connect(node - 1, node, true);
          if (step.send_to != kNone) sends[{rank, step.send_to, lane.channel}].push_back(node);
          if (step.recv_from != kNone) {
            receives[{step.recv_from, rank, lane.channel}].push_back(node);
          }
          if (step.marks != kNone) marks[{rank, step.marks}].push_back(node);
          if (step.after != kNone) waits[{rank, step.after}].push_back(node);
        }
        ++number;
      }
    }
    for (const auto& [fifo, from] : sends) {
      const auto& to = receives[fifo];
      for (size_t i = 0; i < from.size(); ++i) connect(from[i], to.at(i), false);
    }
    for (const auto& [event, from] : marks) {
      for (const size_t a : from) {
        for (const size_t b : waits[event]) connect(a, b, true);
      }
    }
  }

  void connect(size_t from, size_t to, bool local) {
    next[from].push_back(to);
    if (local) next_local[from].push_back(to);
  }

  static std::vector<bool> reached(const std::vector<std::vector<size_t>>& edges, size_t from) {
    std::vector<bool> seen(edges.size());
    std::vector<size_t> open = {from};
    while (!open.empty()) {
      const size_t node = open.back();
      open.pop_back();
      for (const size_t to : edges[node]) {
        if (seen[to]) continue;
        seen[to] = true;
        open.push_back(to);
      }
    }
    return seen;
  }
};

/// In place: input and output are the same memory.
bool overlap(const Slice& a, const Slice& b) {
  if (!a || !b) return false;
  if ((a.buffer == Buffer::kScratch) != (b.buffer == Buffer::kScratch)) return false;
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

/// Pairs of steps that would need more than events; "" if none.
std::string unordered(const Schedule& schedule) {
  const Graph graph(schedule);
  for (size_t a = 0; a < graph.nodes.size(); ++a) {
    const Node& from = graph.nodes[a];
    if (!from.step->store) continue;
    const std::vector<bool> after = Graph::reached(graph.next, a);
    const std::vector<bool> by_events = Graph::reached(graph.next_local, a);
    for (size_t b = 0; b < graph.nodes.size(); ++b) {
      const Node& to = graph.nodes[b];
      if (to.rank != from.rank || to.lane == from.lane || !after[b] || by_events[b]) continue;
      if (overlap(from.step->store, to.step->local) || overlap(from.step->store, to.step->store)) {
        return "rank " + std::to_string(from.rank) + ": lane " + std::to_string(from.lane) +
               " stores what lane " + std::to_string(to.lane) + " uses later";
      }
    }
  }
  return "";
}

TEST(LaneOrder, EventsOrderWhatLanesOfARankShare) {
  for (const Algorithm& row : algorithms()) {
    for (int ranks = 1; ranks <= 17; ++ranks) {
      if (row.unsupported != nullptr && row.unsupported(ranks)) continue;
      for (const int root : {0, ranks - 1}) {
        EXPECT_EQ(unordered(row.build(ranks, root)), "")
            << name(row.collective) << " " << row.name << " on " << ranks << " ranks";
      }
    }
  }
}

TEST(LaneOrder, AnOrderByMessagesIsFound) {
  // Lane 0 of rank 0 stores and sends; rank 1 answers to lane 1, which reads what was stored.
  Schedule schedule(2, 1);
  Step store_send{kNone, 1, input(0), output(0), kNone, kNone};
  Step pass_on{0, 0, {}, scratch(0), kNone, kNone};
  Step reduce{1, kNone, output(0), scratch(0), kNone, kNone};
  schedule.lanes[0] = {{"a", 0, {store_send}}, {"b", 0, {reduce}}};
  schedule.lanes[1] = {{"a", 0, {pass_on}}};
  EXPECT_NE(unordered(schedule), "");
  schedule.lanes[0][0].steps[0].marks = 0;
  schedule.lanes[0][1].steps[0].after = 0;
  EXPECT_EQ(unordered(schedule), "");
}

}  // namespace
}  // namespace arb
