// A reduction order as the program of a stack machine.
#pragma once

#include <vector>

#include "collectives/schedule/facts.hpp"

namespace arb {

/// Load the input of `rank` into `slot`, or slot := left (op) right. Slots are a stack: a load goes
/// on its top, and of left and right one is `slot`, the other the top above it.
struct Instruction {
  int rank = -1;
  int slot = 0;
  int left = 0;
  int right = 0;
};

/// Of the tree under `root` in the arena. The operand that needs more slots goes first (Sethi and
/// Ullman, 1970): a chain of any length needs 2, a balanced tree of n inputs log2(n) + 1.
std::vector<Instruction> compile(const ReductionOrder& order, int root);

int slots_of(const std::vector<Instruction>& program);

}  // namespace arb
