// What the pairs of a fleet say about each demand, and the pattern behind it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/accept/cells.hpp"
#include "reports/accept/pattern.hpp"
#include "reports/accept/profile.hpp"

namespace arb {

enum class Sign {
  kError,     // could not be measured
  kFleet,     // slower than the fleet's median
  kAbsolute,  // below a floor, above a ceiling
  kSpread,
  kAny,  // one of the others, not the same with each partner
};

struct Test {
  Sign sign = Sign::kFleet;
  CaseKey key;                     // of kError and kAny: none
  double factor = 1;               // allowed: of the reference
  std::vector<size_t> subjects;    // [edge]
  std::vector<Edge> edges;         // value: seconds (kFleet), else measured / allowed
  std::vector<std::string> words;  // [edge] of kAbsolute: what is demanded
  Pattern pattern;
};

/// Comparing with a median needs so many of a kind.
inline constexpr size_t kFewestToCompare = 3;

struct PairEvidence {
  std::vector<MeasuredGroup> subjects;
  std::vector<Test> tests;  // of the pairs, those with something to judge
};
PairEvidence evidence_of(const Fleet& fleet, const Profile& profile);

/// GB/s: the least of the units, as measured alone; nullopt if one is unknown.
std::optional<double> copy_limit_of(const std::vector<MeasuredGroup>& subjects,
                                    const std::vector<int>& units);

/// How often each unit was waited for in pairs.
struct Lateness {
  size_t cases = 0, waited = 0;             // over all its pairs
  size_t partners = 0, partners_above = 0;  // with so many more often than `max_straggler_share`
};
std::vector<Lateness> lateness_of(const Fleet& fleet, const Profile& profile);

}  // namespace arb
