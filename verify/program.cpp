#include "verify/program.hpp"

#include <algorithm>

namespace arb {
namespace {

struct Node {
  int rank;
  int left;
  int right;
  int slots = 1;  // needed to evaluate it
};

/// The subtree under `root`; parents before children.
std::vector<Node> subtree(const ReductionOrder& order, int root) {
  std::vector<Node> nodes;
  std::vector<int> origin{root};
  for (size_t i = 0; i < origin.size(); ++i) {
    const Expression& expression = order.arena.at(static_cast<size_t>(origin[i]));
    nodes.push_back({expression.rank, -1, -1});
    if (expression.rank >= 0) continue;
    nodes.back().left = static_cast<int>(origin.size());
    nodes.back().right = nodes.back().left + 1;
    origin.push_back(expression.left);
    origin.push_back(expression.right);
  }
  return nodes;
}

}  // namespace

// Without recursion, since chains are as long as there are ranks.
std::vector<Instruction> compile(const ReductionOrder& order, int root) {
  std::vector<Node> nodes = subtree(order, root);
  const auto at = [&](int index) -> Node& { return nodes[static_cast<size_t>(index)]; };
  for (size_t i = nodes.size(); i-- > 0;) {
    Node& node = nodes[i];
    if (node.rank >= 0) continue;
    const int left = at(node.left).slots;
    const int right = at(node.right).slots;
    node.slots = left == right ? left + 1 : std::max(left, right);
  }
  struct Task {
    int node;
    int slot;
    bool operands_done;
  };
  std::vector<Instruction> program;
  std::vector<Task> tasks{{0, 0, false}};
  while (!tasks.empty()) {
    const Task task = tasks.back();
    tasks.pop_back();
    const Node& node = at(task.node);
    if (node.rank >= 0) {
      program.push_back({node.rank, task.slot});
      continue;
    }
    const bool left_first = at(node.left).slots >= at(node.right).slots;
    if (task.operands_done) {
      program.push_back(
          {-1, task.slot, task.slot + (left_first ? 0 : 1), task.slot + (left_first ? 1 : 0)});
      continue;
    }
    tasks.push_back({task.node, task.slot, true});
    tasks.push_back({left_first ? node.right : node.left, task.slot + 1, false});
    tasks.push_back({left_first ? node.left : node.right, task.slot, false});
  }
  return program;
}

int slots_of(const std::vector<Instruction>& program) {
  int slots = 1;
  for (const Instruction& step : program) slots = std::max(slots, step.slot + 1);
  return slots;
}

}  // namespace arb
