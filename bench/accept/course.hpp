// The stages of an acceptance one after the other: which groups of units meet in which rounds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/accept/field.hpp"
#include "reports/accept/fleet.hpp"

namespace arb {

/// A stage that was asked for.
struct Leg {
  Stage stage = Stage::kAlone;
  GroupTask task;
  int64_t rounds = 0;        // pairs: at most so many; 0: all
  double soak_seconds = 0;   // repeats until they are over
  double round_seconds = 1;  // about, for the progress bar
};

/// What others want to know or to say on the way. Only in the leader.
struct CourseEvents {
  std::function<void(const Leg&, size_t rounds, size_t groups)> begin;        // of a stage
  std::function<void(const Round&, double done, double total)> before_round;  // in seconds
  std::function<void()> end;  // of a stage, skipped ones too: `fleet` has its results
  /// Groups of a stage that are worth measuring again, or for the first time.
  std::function<std::vector<std::vector<int>>(Stage, const Fleet&)> suspects;
};

/// Does the stage make sense for so many units and ranks, and what comes before it?
bool has_sense(Stage stage, int units, int ranks);

/// Groups of at most `most` rounds, each unit at most once in a round: for groups that overlap.
std::vector<Round> rounds_of(Stage stage, int64_t first_number,
                             const std::vector<std::vector<int>>& groups, size_t most);

/// Fills `fleet` (of the leader). Collective. fleet.complete: nothing interrupted it.
void run_course(Field& field, const std::vector<Leg>& legs, const CourseEvents& events,
                Fleet& fleet);

}  // namespace arb
