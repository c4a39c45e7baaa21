// The in-order tree over 8 ranks:
//
//   0 ------------ 4             (the one child of 0)
//            /----- + -----\     .
//            2             6
//          /   \         /   \   .
//         1     3       5     7
//
// Tree 1 is its mirror (rank r takes the place of 7-r), or, for an odd number of ranks, tree 0
// shifted by one, so that the odd ranks, leaves of tree 0, are inside tree 1.
//
// Source: Sanders, Speck and Traff, "Two-tree algorithms for full bandwidth broadcast, reduction
// and scan", 2009; the numbering is the one NCCL uses (src/graph/trees.cc).
#include "collectives/algorithms/tree_shape.hpp"

#include "collectives/schedule/schedule.hpp"

namespace arb {
namespace {

TreeNode first_tree(int rank, int ranks) {
  if (rank == 0) {
    int child = 1;
    while (child * 2 < ranks) child *= 2;
    return {kNone, ranks > 1 ? std::vector<int>{child} : std::vector<int>{}};
  }
  const int bit = rank & -rank;  // a node of height h has h zeros at its end
  const int parent = (rank ^ bit) | bit * 2;
  TreeNode node{parent < ranks ? parent : rank ^ bit, {}};
  if (bit > 1) {
    node.children.push_back(rank - bit / 2);
    int right = bit / 2;
    while (right > 0 && rank + right >= ranks) right /= 2;
    if (right > 0) node.children.push_back(rank + right);
  }
  return node;
}

}  // namespace

TreeNode tree_node(int tree, int rank, int ranks) {
  if (tree == 0) return first_tree(rank, ranks);
  const bool mirror = ranks % 2 == 0;
  TreeNode node = first_tree(mirror ? ranks - 1 - rank : (rank + ranks - 1) % ranks, ranks);
  const auto back = [&](int place) { return mirror ? ranks - 1 - place : (place + 1) % ranks; };
  if (node.parent != kNone) node.parent = back(node.parent);
  for (int& child : node.children) child = back(child);
  return node;
}

}  // namespace arb
