// What the proof learned about each step and the runners may rely on.
#pragma once

#include <vector>

namespace arb {

struct StepFacts {
  bool completes = false;  // its reduction is the one that makes the value whole (avg divides here)
  /// The receiver may read the sender's own buffer (the step's store, or its local if it has no
  /// store): nothing overwrites it, in this operation, before the receiving step has ended. Never
  /// scratch.
  bool direct = false;
};

using Facts = std::vector<std::vector<std::vector<StepFacts>>>;  // [rank][lane][step]

/// The reduction order of a result, as a tree. A leaf is the input of `rank`.
struct Expression {
  int rank = -1;  // leaf if >= 0
  int left =
      -1;  // else indices into the arena: left (op) right, both smaller than this one's index
  int right = -1;
  int leaves = 1;  // inputs combined (saturating)
};

/// Which tree each chunk's result is; the arena is shared by all chunks.
struct ReductionOrder {
  std::vector<Expression> arena;
  std::vector<int> result;  // [chunk] -> index into the arena
};

/// ((x0 op x1) op x2) ...: the declared order of the native one-shot and two-shot algorithms.
ReductionOrder rank_order(int ranks, int chunks);

}  // namespace arb
