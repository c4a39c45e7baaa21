// Deadlock: the graph of one tile has a cycle, and no run can get past it.
#include <algorithm>
#include <string>

#include "verify/prove_graph.hpp"

namespace arb {

bool StepGraph::sort(FindingList& findings) {
  // Depth first along the waits: a node is done once everything it waits for is done. Iterative,
  // since the longest path of a ring of 1024 ranks is far deeper than a call stack.
  enum : unsigned char { kNew, kOpen, kDone };
  std::vector<unsigned char> state(steps_.size(), kNew), next(steps_.size(), 0);
  std::vector<int> stack;
  order_.clear();
  order_.reserve(steps_.size());
  for (int root = 0; root < size(); ++root) {
    if (state[static_cast<size_t>(root)] != kNew) continue;
    stack.push_back(root);
    state[static_cast<size_t>(root)] = kOpen;
    while (!stack.empty()) {
      const auto top = static_cast<size_t>(stack.back());
      const auto waits = before(stack.back());
      if (next[top] == waits.size()) {
        state[top] = kDone;
        order_.push_back(stack.back());
        stack.pop_back();
        continue;
      }
      const int wait = waits[next[top]++];
      if (wait == kNone || state[static_cast<size_t>(wait)] == kDone) continue;
      if (state[static_cast<size_t>(wait)] == kOpen) {
        report_cycle(wait, findings);
        return false;
      }
      state[static_cast<size_t>(wait)] = kOpen;
      stack.push_back(wait);
    }
  }
  position_.resize(steps_.size());
  for (int i = 0; i < size(); ++i)
    position_[static_cast<size_t>(order_[static_cast<size_t>(i)])] = i;
  return true;
}

void StepGraph::report_cycle(int node, FindingList& findings) const {
  // Breadth first from the node back to itself: the shortest cycle through it is the easiest to
  // read.
  std::vector<int> came_from(steps_.size(), kNone);
  std::vector<int> queue{node};
  for (size_t head = 0; head < queue.size() && came_from[static_cast<size_t>(node)] == kNone;
       ++head) {
    for (const int wait : before(queue[head])) {
      if (wait == kNone || came_from[static_cast<size_t>(wait)] != kNone) continue;
      came_from[static_cast<size_t>(wait)] = queue[head];
      queue.push_back(wait);
    }
  }
  std::vector<int> cycle;  // each waits for the next one, the last for the first
  for (int at = came_from[static_cast<size_t>(node)]; at != node;
       at = came_from[static_cast<size_t>(at)]) {
    cycle.push_back(at);
  }
  cycle.push_back(node);
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());

  static constexpr const char* kWhy[] = {" after ", " message from ", " free slot from ",
                                         " event from "};
  static constexpr size_t kShown = 12;
  std::string text = "waits for itself, in a cycle of " + std::to_string(cycle.size()) +
                     " steps: " + where(cycle.front());
  for (size_t i = 0; i < cycle.size(); ++i) {
    const int to = cycle[(i + 1) % cycle.size()];
    const auto waits = before(cycle[i]);
    const auto why = std::find(waits.begin(), waits.end(), to) - waits.begin();
    if (i == kShown && cycle.size() > kShown + 1) {
      text += ", ... " + std::to_string(cycle.size() - kShown - 1) + " more ...";
    }
    if (i >= kShown && i + 1 < cycle.size()) continue;
    text += "," + std::string(kWhy[why]) + where(to);
  }
  report(findings, "deadlock", cycle.front(), text);
}

}  // namespace arb
