// Happens-before, many questions at once.
#pragma once

#include <vector>

#include "verify/prove_graph.hpp"

namespace arb {

/// Collects questions "does `from` end before `to` begins?" and answers them together: 64 sources
/// share one pass over the sorted graph, so the ring of 1024 ranks needs 16 passes instead of 1024.
class Reach {
 public:
  explicit Reach(const StepGraph& graph) : graph_(graph) {}

  int ask(int from, int to) {
    questions_.push_back({from, to});
    return static_cast<int>(questions_.size()) - 1;
  }
  void answer();
  bool holds(int question) const { return answers_[static_cast<size_t>(question)]; }

 private:
  struct Question {
    int from, to;
  };

  const StepGraph& graph_;
  std::vector<Question> questions_;
  std::vector<bool> answers_;
};

}  // namespace arb
