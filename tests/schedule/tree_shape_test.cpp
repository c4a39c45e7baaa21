#include "collectives/algorithms/tree_shape.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "collectives/schedule/schedule.hpp"

namespace arb {
namespace {

int ceil_log2(int n) { return static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1))); }

TEST(TreeShape, BothTreesAreBalancedAndComplementary) {
  for (int ranks = 1; ranks <= 1024; ++ranks) {
    std::vector<size_t> children(static_cast<size_t>(ranks), 0), inside(children);
    for (int tree = 0; tree < 2; ++tree) {
      int roots = 0, deepest = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const TreeNode node = tree_node(tree, rank, ranks);
        children[static_cast<size_t>(rank)] += node.children.size();
        inside[static_cast<size_t>(rank)] += !node.children.empty();
        roots += node.parent == kNone;
        for (const int child : node.children) {
          ASSERT_EQ(tree_node(tree, child, ranks).parent, rank) << ranks << " ranks, tree " << tree;
        }
        int depth = 0;
        for (int at = rank; at != kNone && depth <= ranks; ++depth) {
          at = tree_node(tree, at, ranks).parent;
        }
        deepest = std::max(deepest, depth - 1);
      }
      ASSERT_EQ(roots, 1) << ranks << " ranks, tree " << tree;
      ASSERT_EQ(deepest, ranks == 1 ? 0 : ceil_log2(ranks)) << ranks << " ranks, tree " << tree;
    }
    ASSERT_LE(*std::max_element(children.begin(), children.end()), 3U) << ranks;
    ASSERT_LE(std::count(inside.begin(), inside.end(), 2U), 2) << ranks;
  }
}

}  // namespace
}  // namespace arb
