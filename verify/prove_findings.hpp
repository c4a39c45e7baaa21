// Collects the findings of a proof; the parts of the proof share one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "verify/prove.hpp"

namespace arb {

/// Keeps the first 16: a broken schedule breaks everywhere at once, and nobody reads more.
class FindingList {
 public:
  FindingList(const Schedule& schedule, std::vector<Finding>& findings)
      : schedule_(schedule), findings_(findings) {}

  /// `text` completes the sentence "rank 1, lane 0 (main), step 2: recv(...) <text>".
  void add(std::string kind, int rank, int lane, int step, const std::string& text) {
    if (full()) return;
    std::string where = rank == kNone ? "the schedule" : describe(schedule_, rank, lane, step);
    findings_.push_back({std::move(kind), rank, lane, step, std::move(where) + " " + text});
  }

  bool empty() const { return findings_.empty(); }
  bool full() const { return findings_.size() >= 16; }

 private:
  const Schedule& schedule_;
  std::vector<Finding>& findings_;
};

/// What can be said of each step alone: legal verbs, ranks and chunks in range, and only inputs and
/// outputs that the collective gives to the rank.
void check_steps(const Schedule& schedule, Collective collective, int root, FindingList& findings);

}  // namespace arb
