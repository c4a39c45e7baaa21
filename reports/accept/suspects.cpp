#include <algorithm>
#include <set>

#include "reports/accept/blame.hpp"

namespace arb {
namespace {

constexpr size_t kFewestPartners = 3;  // to tell a unit from the links to its partners

using Pair = std::pair<int, int>;

Pair ordered(int a, int b) { return std::minmax({a, b}); }

class Search {
 public:
  Search(const Fleet& fleet, const PairEvidence& evidence) : units_(fleet.units.size()) {
    partners_.resize(units_);
    for (const MeasuredGroup& subject : evidence.subjects) {
      if (subject.stage != Stage::kPairs || subject.units.size() != 2) continue;
      const Pair pair = ordered(subject.units[0], subject.units[1]);
      measured_[pair] = subject.results.size();
      partners_[static_cast<size_t>(pair.first)].insert(pair.second);
      partners_[static_cast<size_t>(pair.second)].insert(pair.first);
    }
    for (const Test& test : evidence.tests) {
      blamed_.insert(test.pattern.units.begin(), test.pattern.units.end());
    }
    for (const Test& test : evidence.tests) {
      // If most pairs are bad, the fleet is not what the profile expects: nothing to learn from
      // measuring all of it again. Two units are too few for any pattern.
      const auto bad = std::count(test.pattern.bad.begin(), test.pattern.bad.end(), true);
      if (!test.pattern.explained && units_ > 2 &&
          static_cast<size_t>(bad) * 2 > test.edges.size()) {
        continue;
      }
      for (size_t e = 0; e < test.edges.size(); ++e) {
        if (!test.pattern.bad[e]) continue;
        const Pair pair = ordered(test.edges[e].a, test.edges[e].b);
        bad_.insert(pair);
        const bool first = blamed_.contains(pair.first);
        const bool second = blamed_.contains(pair.second);
        if (first || !second) touched_.insert(pair.first);
        if (second || !first) touched_.insert(pair.second);
      }
    }
    for (size_t unit = 0; unit < units_; ++unit) {
      if (!touched_.contains(static_cast<int>(unit))) good_.push_back(static_cast<int>(unit));
    }
  }

  std::vector<Pair> pairs() {
    for (const Pair& pair : bad_) {
      const bool known = blamed_.contains(pair.first) || blamed_.contains(pair.second);
      if (!known && measured_.at(pair) < kMostMeasured) again_.insert(pair);
    }
    for (const int unit : touched_) {
      const auto& met = partners_[static_cast<size_t>(unit)];
      if (met.size() < std::min(kFewestPartners, units_ - 1)) {
        meet(unit, [&](int other) { return !met.contains(other); });
      } else if (blamed_.contains(unit) && most_measured(unit) < kFewestBad) {
        meet(unit, [&](int other) { return met.contains(other); });
      }
    }
    return {again_.begin(), again_.end()};
  }

 private:
  size_t most_measured(int unit) const {
    size_t most = 0;
    for (const int other : partners_[static_cast<size_t>(unit)]) {
      most = std::max(most, measured_.at(ordered(unit, other)));
    }
    return most;
  }

  /// With the next good unit around the fleet, so that not all suspects want the same one.
  template <typename Fits>
  void meet(int unit, Fits fits) {
    const auto after = std::upper_bound(good_.begin(), good_.end(), unit);
    std::vector<int> around(after, good_.end());
    around.insert(around.end(), good_.begin(), after);
    const auto found = std::find_if(around.begin(), around.end(), fits);
    if (found != around.end()) again_.insert(ordered(unit, *found));
  }

  size_t units_;
  std::map<Pair, size_t> measured_;
  std::vector<std::set<int>> partners_;  // [unit]
  std::set<int> blamed_, touched_;       // touched: may be why a pair is bad
  std::vector<int> good_;                // the others, ascending
  std::set<Pair> bad_, again_;
};

}  // namespace

std::vector<Pair> suspects(const Fleet& fleet, const Profile& profile) {
  return Search(fleet, evidence_of(fleet, profile)).pairs();
}

std::vector<int> suspects_alone(const Fleet& fleet, const Profile& profile) {
  std::set<int> again;
  for (const AloneTest& test : alone_tests(fleet, profile, subjects_of(fleet))) {
    for (const AloneTest::Unit& unit : test.units) {
      if (unit.bad && test.sparse && unit.measured < kMostMeasured) again.insert(unit.unit);
    }
  }
  return {again.begin(), again.end()};
}

}  // namespace arb
