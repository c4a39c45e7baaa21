// The ranges of a rules file, the sizes that stand for them, and what runs say about them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/tune/choose.hpp"
#include "reports/tune/effect.hpp"

namespace arb {

/// Medians of openmpi:default by (ranks, bytes).
using Medians = std::map<std::pair<int64_t, int64_t>, double>;

Medians medians_of(const Report& report);

struct Subject {  // a range with a rule
  int64_t ranks = 0;
  TunedRange range;
  std::vector<int64_t> sizes;  // measured ones, at most three: first, middle, last
};

/// All-reduce only.
std::vector<Subject> subjects_of(const std::vector<Tuning>& tunings);

/// One run without, one with the rules.
struct Pair {
  Medians without, with;
};

/// Throws Error{kEnvironment} if a run lacks a size of the subject.
Effect effect_on(const Subject& subject, const std::vector<Pair>& pairs);

/// "4 ranks, 64 KiB to 4 MiB, ring: faster x1.72 [1.60, 1.80]"
std::string effect_text(const Subject& subject, const Effect& effect);

}  // namespace arb
