#include "verify/oracle.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/error.hpp"
#include "collectives/ops/kernels.hpp"

namespace arb {
namespace {

/// A stack machine's program: load the input of `rank` into `slot`, or slot := left (op) right.
struct Instruction {
  int rank = -1;
  int slot = 0;
  int left = 0;
  int right = 0;
};

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

/// Sethi and Ullman (1970): the operand that needs more slots goes first. Without recursion, since
/// chains are as long as there are ranks.
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

}  // namespace

struct Oracle::Impl {
  const DataSpec spec;
  const ReductionOrder& order;
  const Kernels kernel;
  LeafObserver observer;
  std::vector<Instruction> program;  // of `root`; chunks often share a tree
  int root = -1;
  std::vector<std::unique_ptr<std::byte[]>> slots;

  Impl(const DataSpec& data, const ReductionOrder& reduction)
      : spec(data), order(reduction), kernel(kernels(data.dtype, data.op)) {}

  void prepare(int chunk) {
    const int wanted = order.result.at(static_cast<size_t>(chunk));
    if (wanted == root) return;
    program = compile(order, wanted);
    root = wanted;
    int needed = 1;
    for (const Instruction& step : program) needed = std::max(needed, step.slot + 1);
    while (slots.size() < static_cast<size_t>(needed)) {
      slots.push_back(std::make_unique_for_overwrite<std::byte[]>(kMaxBlock * size_of(spec.dtype)));
    }
  }

  std::byte* slot(int index) const { return slots[static_cast<size_t>(index)].get(); }
};

Oracle::Oracle(const DataSpec& spec, const ReductionOrder& order)
    : impl_(std::make_unique<Impl>(spec, order)) {}

Oracle::~Oracle() = default;

void Oracle::observe(LeafObserver observer) { impl_->observer = std::move(observer); }

const void* Oracle::expected(int chunk, size_t first, size_t count) {
  if (count > kMaxBlock) throw Error(ErrorKind::kInternal, "the oracle's block is too long");
  Impl& self = *impl_;
  self.prepare(chunk);
  for (const Instruction& step : self.program) {
    if (step.rank >= 0) {
      generate(self.spec, step.rank, first, count, self.slot(step.slot));
      if (self.observer) self.observer(step.rank, self.slot(step.slot), count);
    } else {
      self.kernel.reduce(self.slot(step.slot), self.slot(step.left), self.slot(step.right), count);
    }
  }
  const int leaves = self.order.arena[static_cast<size_t>(self.root)].leaves;
  if (self.kernel.finish != nullptr && leaves == self.spec.ranks) {
    self.kernel.finish(self.slot(0), count, self.spec.ranks);
  }
  return self.slot(0);
}

ReductionOrder plain_order(Collective collective, int ranks, int chunks, int root) {
  if (reduces(collective)) return rank_order(ranks, chunks);
  ReductionOrder order;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    order.arena.push_back({.rank = contributors(collective, ranks, chunk, root).front()});
    order.result.push_back(chunk);
  }
  return order;
}

}  // namespace arb
