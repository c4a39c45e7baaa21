// The graph of ONE tile: a node is a step, an edge says that one step ends before another begins.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "verify/prove_findings.hpp"

namespace arb {

/// Why a step waits for another; the index into StepGraph::before().
enum class Wait { kLane, kMessage, kSlot, kEvent };

/// Nodes are numbered rank by rank, lane by lane, step by step. Compact on purpose: a ring of 1024
/// ranks has 2.1 million nodes and 6.3 million edges.
class StepGraph {
 public:
  struct LaneSpan {
    int rank;
    int lane;
    int begin;  // nodes [begin, end)
    int end;
  };

  /// Pairs the i-th send of each FIFO with its i-th receive, and marks with waits; reports what has
  /// no partner. If it reported anything, the graph must not be used.
  StepGraph(const Schedule& schedule, int slots, FindingList& findings);

  /// Puts the nodes in an order that respects every edge. False: there is a cycle, and it was
  /// reported.
  bool sort(FindingList& findings);

  int size() const { return static_cast<int>(steps_.size()); }
  const Step& step(int node) const { return *steps_[static_cast<size_t>(node)]; }
  int lane_index(int node) const { return lane_of_[static_cast<size_t>(node)]; }
  const LaneSpan& span(int node) const { return lanes_[static_cast<size_t>(lane_index(node))]; }
  std::span<const LaneSpan> lanes() const { return lanes_; }
  int rank(int node) const { return span(node).rank; }

  int sender(int node) const { return sender_[static_cast<size_t>(node)]; }  // of what it receives
  int receiver(int node) const { return receiver_[static_cast<size_t>(node)]; }  // of what it sends

  /// The nodes it waits for, by Wait; kNone where it does not.
  std::array<int, 4> before(int node) const {
    const auto i = static_cast<size_t>(node);
    return {node > span(node).begin ? node - 1 : kNone, sender_[i], slot_[i], event_[i]};
  }

  std::span<const int> order() const { return order_; }
  int position(int node) const { return position_[static_cast<size_t>(node)]; }

  void report(FindingList& findings, const char* kind, int node, const std::string& text) const;
  /// "rank 1 lane 0 step 2"
  std::string where(int node) const;

 private:
  void number(const Schedule& schedule);
  void pair_messages(const Schedule& schedule, int slots, FindingList& findings);
  void pair_events(FindingList& findings);
  void report_cycle(int node, FindingList& findings) const;

  std::vector<LaneSpan> lanes_;
  std::vector<const Step*> steps_;
  std::vector<int> lane_of_, sender_, receiver_, slot_, event_;
  std::vector<int> order_, position_;
};

}  // namespace arb
