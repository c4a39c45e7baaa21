// What the tests of a job share.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/checking.hpp"
#include "bench/measure/prepared.hpp"
#include "collectives/runners/mpi/world.hpp"

namespace arb {

/// The only one; made by main().
World& world();

/// [rank] -> node: neighbours on a node, or dealt out in turn.
std::vector<int> contiguous(int ranks, int nodes);
std::vector<int> round_robin(int ranks, int nodes);

/// As long as it lives, the ranks of the job are on these nodes.
class PretendedNodes {
 public:
  explicit PretendedNodes(const std::vector<int>& node_of);
  ~PretendedNodes();
  PretendedNodes(const PretendedNodes&) = delete;
  PretendedNodes& operator=(const PretendedNodes&) = delete;

 private:
  std::vector<int> truth_;
};

/// With a deadline, so that what hangs becomes an error.
GroupSettings settings_of(Path path, double seconds = 300);

/// Do all ranks of the job say the same? Collective.
bool same_everywhere(const std::string& own);

/// A group of all ranks, and what it takes to run operations.
struct Job {
  explicit Job(const GroupSettings& settings, const SlotChoice& choice = {})
      : group(world().group(world().size(), settings)),
        preparer(world().slot_chooser(settings.path, settings.host), choice) {}

  Crew& crew() { return group->crew(); }
  Runner& runner() { return group->runner(); }
  Prepared prepare(const std::string& algorithm, const Shape& shape, bool in_place = false) {
    return preparer.prepare(algorithm, shape, in_place, runner());
  }

  std::unique_ptr<Group> group;
  Preparer preparer;
};

/// float32, sum, rooted in the last rank.
Shape shape_of(size_t count, Collective collective = Collective::kAllReduce);

/// "exact, rank 1, index 2, wanted .., got ..".
std::string describe(const Verdict& verdict);

}  // namespace arb
