#include "verify/prove_expressions.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "collectives/schedule/schedule.hpp"

namespace arb {
namespace {

constexpr int kMany = std::numeric_limits<int>::max();

int saturating_add(int a, int b) { return a > kMany - b ? kMany : a + b; }

size_t hash(int left, int right) {
  const uint64_t key =
      static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
  const uint64_t mixed = (key ^ key >> 29) * 0x9E3779B97F4A7C15U;
  return static_cast<size_t>(mixed ^ mixed >> 32);
}

}  // namespace

ExpressionTable::ExpressionTable(int ranks) : ranks_(ranks), buckets_(64, kNone) {
  for (int rank = 0; rank < ranks; ++rank) arena_.push_back({.rank = rank});
  makers_.assign(static_cast<size_t>(ranks), kNone);
}

int ExpressionTable::combine(int left, int right, int node) {
  if (left > right) std::swap(left, right);
  const size_t mask = buckets_.size() - 1;
  size_t at = hash(left, right) & mask;
  for (; buckets_[at] != kNone; at = (at + 1) & mask) {
    const Expression& found = (*this)[buckets_[at]];
    if (found.left == left && found.right == right) return buckets_[at];
  }
  const int id = static_cast<int>(arena_.size());
  buckets_[at] = id;
  arena_.push_back({.rank = -1,
                    .left = left,
                    .right = right,
                    .leaves = saturating_add((*this)[left].leaves, (*this)[right].leaves)});
  makers_.push_back(node);
  if (arena_.size() * 2 > buckets_.size()) grow();
  return id;
}

void ExpressionTable::grow() {
  buckets_.assign(buckets_.size() * 2, kNone);
  const size_t mask = buckets_.size() - 1;
  for (size_t id = static_cast<size_t>(ranks_); id < arena_.size(); ++id) {
    size_t at = hash(arena_[id].left, arena_[id].right) & mask;
    while (buckets_[at] != kNone) at = (at + 1) & mask;
    buckets_[at] = static_cast<int>(id);
  }
}

std::vector<int> ExpressionTable::contributions(int id) const {
  // From the root downwards by number: operands have smaller numbers, so a node is final when it is
  // taken. A shared operand is visited once, however often it counts.
  std::vector<int> count(static_cast<size_t>(ranks_), 0);
  std::map<int, int, std::greater<>> pending{{id, 1}};
  while (!pending.empty()) {
    const auto [node, times] = *pending.begin();
    pending.erase(pending.begin());
    const Expression& expression = (*this)[node];
    if (expression.rank >= 0) {
      count[static_cast<size_t>(expression.rank)] = times;
      continue;
    }
    for (const int operand : {expression.left, expression.right}) {
      int& total = pending[operand];
      total = saturating_add(total, times);
    }
  }
  return count;
}

int ExpressionTable::first_doubling(int id, int rank) const {
  int found = kNone;
  while ((*this)[id].rank < 0) {
    const auto times = [&](int operand) {
      return contributions(operand)[static_cast<size_t>(rank)];
    };
    const int left = times((*this)[id].left);
    const int right = times((*this)[id].right);
    if (left > 0 && right > 0) found = id;
    if (left < 2 && right < 2) break;
    id = left > 1 ? (*this)[id].left : (*this)[id].right;
  }
  return found;
}

}  // namespace arb
