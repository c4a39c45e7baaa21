// Symbolic execution: what every output chunk holds at the end, as an expression over the inputs.
#pragma once

#include <vector>

#include "collectives/schedule/collective.hpp"
#include "verify/prove_expressions.hpp"
#include "verify/prove_graph.hpp"

namespace arb {

struct Values {
  ExpressionTable expressions;
  std::vector<int> output;      // [rank * chunks + chunk] expression, or kNone if never written
  std::vector<int> writer;      // [rank * chunks + chunk] the node that wrote it last
  std::vector<bool> completes;  // [node]
  std::vector<RankTraffic> traffic;
  int latency_steps = 0;
};

/// Runs the sorted graph once. Reports values that land in other chunks than their own, reads of
/// what was never written, and reductions that complete only a part of their slice.
Values execute(const StepGraph& graph, const Schedule& schedule, Collective collective,
               bool in_place, FindingList& findings);

/// Reports output chunks that miss or double a contribution, and chunks whose reduction order
/// differs between ranks. Returns the order of each chunk.
std::vector<int> check_results(const StepGraph& graph, const Schedule& schedule,
                               Collective collective, int root, const Values& values,
                               FindingList& findings);

/// Reports accesses to the same chunk that nothing orders; returns StepFacts::direct by node.
std::vector<bool> check_memory(const StepGraph& graph, const Schedule& schedule, bool in_place,
                               FindingList& findings);

}  // namespace arb
