#include "collectives/algorithms/registry.hpp"

#include <algorithm>

namespace arb {

// One declaration and one row each; the builders live in the file named after the algorithm.
Schedule naive_root_all_reduce(int ranks, int root);
Schedule ring_all_reduce(int ranks, int root);
Schedule double_tree_all_reduce(int ranks, int root);
Schedule recursive_doubling_all_reduce(int ranks, int root);
Schedule rabenseifner_all_reduce(int ranks, int root);
Schedule ring_reduce_scatter(int ranks, int root);
Schedule ring_all_gather(int ranks, int root);
Schedule naive_root_broadcast(int ranks, int root);
Schedule double_tree_broadcast(int ranks, int root);
Schedule naive_root_reduce(int ranks, int root);
Schedule double_tree_reduce(int ranks, int root);

namespace {

constexpr Algorithm kAlgorithms[] = {
    {Collective::kAllReduce, "naive-root",
     "everybody sends to rank 0, which sends the sum back: 2 steps, 2(P-1)K through rank 0; the "
     "baseline",
     naive_root_all_reduce},
    {Collective::kAllReduce, "ring",
     "chunks travel around a ring: 2(P-1) steps, 2(P-1)/P K sent per rank; wins for large messages",
     ring_all_reduce, nullptr, 2},
    {Collective::kAllReduce, "tree",
     "two binary trees, half of the data each: 2 ceil(log2 P) steps, up to 2K per rank; wins for "
     "small messages",
     double_tree_all_reduce},
    {Collective::kAllReduce, "recursive-doubling",
     "partners exchange all they know: log2 P steps (up to 2 more off powers of two), K each; wins "
     "for "
     "tiny messages",
     recursive_doubling_all_reduce},
    {Collective::kAllReduce, "rabenseifner",
     "halving, then doubling: 2 log2 P steps (2 more off powers of two), 2(P-1)/P K per rank; "
     "medium messages",
     rabenseifner_all_reduce},
    {Collective::kReduceScatter, "ring",
     "the first half of the ring all-reduce: P-1 steps, (P-1)/P K sent per rank",
     ring_reduce_scatter, nullptr, 2},
    {Collective::kAllGather, "ring",
     "the second half of the ring all-reduce: P-1 steps, (P-1)/P K sent per rank", ring_all_gather,
     nullptr, 2},
    {Collective::kBroadcast, "naive-root",
     "the root sends to everybody: 1 step, (P-1)K through the root; the baseline",
     naive_root_broadcast},
    {Collective::kBroadcast, "tree",
     "two binary trees below the root: 1 + ceil(log2(P-1)) steps, at most K sent per rank",
     double_tree_broadcast},
    {Collective::kReduce, "naive-root",
     "everybody sends to the root: 1 step, (P-1)K through the root; the baseline",
     naive_root_reduce},
    {Collective::kReduce, "tree",
     "two binary trees below the root: 1 + ceil(log2(P-1)) steps, at most K received per rank",
     double_tree_reduce},
};

}  // namespace

std::span<const Algorithm> algorithms() { return kAlgorithms; }

const Algorithm* find_algorithm(Collective collective, std::string_view name) {
  const auto table = algorithms();
  const auto found = std::find_if(table.begin(), table.end(), [&](const Algorithm& row) {
    return row.collective == collective && row.name == name;
  });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace arb
