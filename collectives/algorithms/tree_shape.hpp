// Two binary trees over the same ranks: who is inside one is (nearly always) a leaf of the other.
#pragma once

#include <vector>

namespace arb {

struct TreeNode {
  int parent;                 // kNone at the root
  std::vector<int> children;  // at most two
};

/// Where `rank` stands in tree 0 or 1 over ranks 0..ranks-1. Both trees are ceil(log2 ranks) deep,
/// and no rank has more than three children over both.
TreeNode tree_node(int tree, int rank, int ranks);

}  // namespace arb
