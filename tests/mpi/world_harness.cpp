#include "tests/mpi/world_harness.hpp"

#include <algorithm>

namespace arb {

std::vector<int> contiguous(int ranks, int nodes) {
  std::vector<int> node_of;
  for (int rank = 0; rank < ranks; ++rank) node_of.push_back(rank * nodes / ranks);
  return node_of;
}

std::vector<int> round_robin(int ranks, int nodes) {
  std::vector<int> node_of;
  for (int rank = 0; rank < ranks; ++rank) node_of.push_back(rank % nodes);
  return node_of;
}

PretendedNodes::PretendedNodes(const std::vector<int>& node_of)
    : truth_(static_cast<size_t>(world().size())) {
  const std::vector<Node> nodes = world().nodes(world().size());
  for (size_t node = 0; node < nodes.size(); ++node) {
    for (const int rank : nodes[node].ranks) {
      truth_[static_cast<size_t>(rank)] = static_cast<int>(node);
    }
  }
  world().pretend_nodes(node_of);
}

PretendedNodes::~PretendedNodes() { world().pretend_nodes(truth_); }

GroupSettings settings_of(Path path, double seconds) {
  GroupSettings settings;
  settings.path = path;
  settings.control.deadline =
      std::chrono::steady_clock::now() +
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
  return settings;
}

bool same_everywhere(const std::string& own) {
  const std::vector<std::string> all = world().exchange(own);
  return std::all_of(all.begin(), all.end(), [&](const auto& said) { return said == all[0]; });
}

Shape shape_of(size_t count, Collective collective) {
  return {collective, world().size(), world().size() - 1, count, Dtype::kFloat32, Op::kSum};
}

std::string describe(const Verdict& verdict) {
  if (verdict.ok()) return "right";
  return std::to_string(verdict.wrong) + " wrong, " + verdict.check + ", rank " +
         std::to_string(verdict.rank) + ", index " + std::to_string(verdict.index) + ", wanted " +
         verdict.wanted + ", got " + verdict.got;
}

}  // namespace arb
