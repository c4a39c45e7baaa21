#include "reports/accept/evidence.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "reports/accept/demands.hpp"

namespace arb {
namespace {

constexpr double kBad = 2;  // of demands that are met or not
constexpr double kGood = 0;

Edge edge_of(const MeasuredGroup& subject, double value) {
  return {subject.units.front(), subject.units.back(), value};
}

void add(Test& test, size_t index, const MeasuredGroup& subject, double value,
         std::string words = "") {
  test.subjects.push_back(index);
  test.edges.push_back(edge_of(subject, value));
  test.words.push_back(std::move(words));
}

Test errors(const std::vector<MeasuredGroup>& subjects, const std::vector<size_t>& pairs) {
  Test test;
  test.sign = Sign::kError;
  for (const size_t i : pairs) {
    add(test, i, subjects[i], subjects[i].error.empty() ? kGood : kBad);
  }
  return test;
}

Test beside_fleet(const std::vector<MeasuredGroup>& subjects, const std::vector<size_t>& pairs,
                  const CaseKey& key, double ratio) {
  Test test;
  test.key = key;
  test.factor = ratio;
  for (const size_t i : pairs) {
    const auto cell = subjects[i].cells.find(key);
    if (cell != subjects[i].cells.end()) add(test, i, subjects[i], cell->second.seconds);
  }
  return test;
}

Test by_itself(const Profile& profile, const std::vector<MeasuredGroup>& subjects,
               const std::vector<size_t>& pairs, const CaseKey& key) {
  Test test;
  test.sign = Sign::kAbsolute;
  test.key = key;
  for (const size_t i : pairs) {
    const auto cell = subjects[i].cells.find(key);
    if (cell == subjects[i].cells.end()) continue;
    const auto demand = absolute_demand(profile, Stage::kPairs, key, cell->second,
                                        copy_limit_of(subjects, subjects[i].units));
    if (demand) add(test, i, subjects[i], demand->badness, demand->words);
  }
  return test;
}

Test spreads(double most, const std::vector<MeasuredGroup>& subjects,
             const std::vector<size_t>& pairs, const CaseKey& key) {
  Test test;
  test.sign = Sign::kSpread;
  test.key = key;
  for (const size_t i : pairs) {
    const auto cell = subjects[i].cells.find(key);
    if (cell == subjects[i].cells.end() || !cell->second.spread) continue;
    add(test, i, subjects[i], *cell->second.spread / most);
  }
  return test;
}

/// A unit that is late at random shows at one size with one partner, at another with the next.
Test any(const std::vector<Test>& tests, const std::vector<MeasuredGroup>& subjects,
         const std::vector<size_t>& pairs) {
  Test test;
  test.sign = Sign::kAny;
  std::set<size_t> bad;
  for (const Test& each : tests) {
    if (!each.pattern.explained) continue;
    for (size_t e = 0; e < each.edges.size(); ++e) {
      if (each.pattern.bad[e]) bad.insert(each.subjects[e]);
    }
  }
  for (const size_t i : pairs) add(test, i, subjects[i], bad.contains(i) ? kBad : kGood);
  return test;
}

}  // namespace

std::optional<double> copy_limit_of(const std::vector<MeasuredGroup>& subjects,
                                    const std::vector<int>& units) {
  double least = std::numeric_limits<double>::infinity();
  for (const int unit : units) {
    const auto alone =
        std::find_if(subjects.begin(), subjects.end(), [&](const MeasuredGroup& subject) {
          return subject.stage == Stage::kAlone && subject.units.size() == 1 &&
                 subject.units[0] == unit;
        });
    if (alone == subjects.end() || !alone->copy_limit) return std::nullopt;
    least = std::min(least, *alone->copy_limit);
  }
  return least;
}

PairEvidence evidence_of(const Fleet& fleet, const Profile& profile) {
  PairEvidence evidence;
  evidence.subjects = subjects_of(fleet);
  const std::vector<MeasuredGroup>& subjects = evidence.subjects;
  const int units = static_cast<int>(fleet.units.size());
  std::vector<size_t> pairs;
  std::set<CaseKey> keys;
  for (size_t i = 0; i < subjects.size(); ++i) {
    if (subjects[i].stage != Stage::kPairs || subjects[i].units.size() != 2) continue;
    pairs.push_back(i);
    for (const auto& [key, cell] : subjects[i].cells) keys.insert(key);
  }
  const auto keep = [&](Test test) {
    if (test.edges.empty()) return;
    if (test.sign == Sign::kFleet && test.edges.size() < kFewestToCompare) return;
    const bool relative = test.sign == Sign::kFleet;
    test.pattern =
        explain(test.edges, units, test.factor, relative ? std::nullopt : std::optional<double>(1));
    evidence.tests.push_back(std::move(test));
  };
  keep(errors(subjects, pairs));
  for (const CaseKey& key : keys) {
    if (const auto ratio = allowed_ratio(profile, Stage::kPairs, key)) {
      keep(beside_fleet(subjects, pairs, key, *ratio));
    }
    keep(by_itself(profile, subjects, pairs, key));
    if (profile.max_spread && !key.algorithm.empty()) {
      keep(spreads(*profile.max_spread, subjects, pairs, key));
    }
  }
  keep(any(evidence.tests, subjects, pairs));
  return evidence;
}

std::vector<Lateness> lateness_of(const Fleet& fleet, const Profile& profile) {
  struct Count {
    size_t cases = 0, waited = 0;
  };
  std::map<std::pair<int, int>, Count> with;  // {unit, partner}
  for (const GroupResult& result : fleet.results) {
    if (result.stage != Stage::kPairs || result.units.size() != 2) continue;
    for (const Record& record : result.records) {
      if (!record.time) continue;
      const int late = record.straggler ? unit_of_rank(fleet, result.units, *record.straggler) : -1;
      for (const bool first : {true, false}) {
        const int unit = first ? result.units.front() : result.units.back();
        Count& count = with[{unit, first ? result.units.back() : result.units.front()}];
        ++count.cases;
        if (unit == late) ++count.waited;
      }
    }
  }
  std::vector<Lateness> all(fleet.units.size());
  for (const auto& [pair, count] : with) {
    Lateness& unit = all[static_cast<size_t>(pair.first)];
    unit.cases += count.cases;
    unit.waited += count.waited;
    ++unit.partners;
    const double share = static_cast<double>(count.waited) / static_cast<double>(count.cases);
    if (profile.max_straggler_share && share > *profile.max_straggler_share) ++unit.partners_above;
  }
  return all;
}

}  // namespace arb
