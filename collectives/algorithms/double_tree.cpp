// Double binary tree: half of the data goes up and down tree A, half tree B, both at once.
//
//   tree A (chunk 0)   tree B (chunk 1)
//        0                  3
//        |                  |           up: sums towards the root
//        2                  1           down: the result back
//       / \                / \          .
//      1   3              2   0
//
// Each tree has an "up" and a "down" lane, joined at its root by an event, so that the sums of the
// next tile rise while the results of this one descend. Ranks inside one tree are leaves of the
// other: the load is even. Broadcast and reduce put their root above two trees of the others.
//
// Steps: 2 ceil(log2 P); broadcast and reduce: 1 + ceil(log2(P-1)).
// Bytes: at most 2K each way per rank; broadcast and reduce: at most K.
// Wins for small and medium messages on many ranks: the depth grows with the logarithm only.
// Source: Sanders, Speck and Traff, "Two-tree algorithms for full bandwidth broadcast, reduction
// and scan", 2009.
#include "collectives/algorithms/single_rank.hpp"
#include "collectives/algorithms/tree_shape.hpp"

namespace arb {
namespace {

constexpr int kTrees = 2;
constexpr const char* kUp[] = {"tree A up", "tree B up"};
constexpr const char* kDown[] = {"tree A down", "tree B down"};

/// Sums of children and own input: `partial` holds what is not yet complete; the last sum is sent
/// to the parent, or stays in `partial` at the root.
void sum_up(LaneBuilder& lane, const TreeNode& node, int chunk, Slice partial) {
  Slice sum = input(chunk);
  if (node.children.empty()) lane.send(sum, node.parent);
  for (size_t i = 0; i < node.children.size(); ++i) {
    if (node.parent != kNone && i + 1 == node.children.size()) {
      lane.recv_reduce_send(sum, node.children[i], node.parent);
    } else {
      lane.recv_reduce(sum, partial, node.children[i]);
      sum = partial;
    }
  }
}

/// Receives the result from the parent and passes it on.
void hand_down(LaneBuilder& lane, const TreeNode& node, int chunk) {
  if (node.children.empty()) {
    lane.recv(output(chunk), node.parent);
    return;
  }
  lane.recv_store_send(output(chunk), node.parent, node.children[0]);
  if (node.children.size() > 1) lane.send(output(chunk), node.children[1]);
}

/// The tree over everybody but `root`, which stands above it as the parent of the tree's own root.
TreeNode node_below(int root, int tree, int rank, int ranks) {
  const auto place = [&](int r) { return (r - root - 1 + ranks) % ranks; };
  const auto back = [&](int p) { return (p + root + 1) % ranks; };
  TreeNode node = tree_node(tree, place(rank), ranks - 1);
  node.parent = node.parent == kNone ? root : back(node.parent);
  for (int& child : node.children) child = back(child);
  return node;
}

int child_of(int root, int tree, int ranks) {
  int rank = (root + 1) % ranks;
  while (node_below(root, tree, rank, ranks).parent != root) rank = (rank + 1) % ranks;
  return rank;
}

}  // namespace

Schedule double_tree_all_reduce(int ranks, int /*root*/) {
  if (ranks == 1) return single_rank();
  Schedule schedule(ranks, kTrees);
  for (int rank = 0; rank < ranks; ++rank) {
    for (int tree = 0; tree < kTrees; ++tree) {
      const TreeNode node = tree_node(tree, rank, ranks);
      LaneBuilder up(schedule, rank, kUp[tree], tree);
      // Below the root what is not yet complete stays out of the output, which is the other lane's.
      sum_up(up, node, tree, node.parent == kNone ? output(tree) : scratch(tree));
      LaneBuilder down(schedule, rank, kDown[tree], tree);
      if (node.parent == kNone) {
        up.mark(tree);
        down.after(tree);
        for (const int child : node.children) down.send(output(tree), child);
      } else {
        hand_down(down, node, tree);
      }
    }
  }
  return schedule;
}

Schedule double_tree_broadcast(int ranks, int root) {
  if (ranks == 1) return single_rank();
  Schedule schedule(ranks, kTrees);
  for (int rank = 0; rank < ranks; ++rank) {
    for (int tree = 0; tree < kTrees; ++tree) {
      LaneBuilder lane(schedule, rank, kDown[tree], tree);
      if (rank == root) {
        lane.copy_send(input(tree), output(tree), child_of(root, tree, ranks));
      } else {
        hand_down(lane, node_below(root, tree, rank, ranks), tree);
      }
    }
  }
  return schedule;
}

Schedule double_tree_reduce(int ranks, int root) {
  if (ranks == 1) return single_rank();
  Schedule schedule(ranks, kTrees);
  for (int rank = 0; rank < ranks; ++rank) {
    for (int tree = 0; tree < kTrees; ++tree) {
      LaneBuilder lane(schedule, rank, kUp[tree], tree);
      if (rank == root) {
        lane.recv_reduce(input(tree), output(tree), child_of(root, tree, ranks));
      } else {
        sum_up(lane, node_below(root, tree, rank, ranks), tree, scratch(tree));
      }
    }
  }
  return schedule;
}

}  // namespace arb
