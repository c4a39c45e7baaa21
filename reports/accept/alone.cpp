// Units alone: nobody else can be to blame, so that no pattern is needed.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/accept/blame.hpp"
#include "reports/accept/demands.hpp"
#include "reports/accept/robust.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

/// A minority: if most are bad, the demand does not fit the fleet, or the fleet is not what it
/// should be, but no unit of it is worse than the others.
void judge_sparseness(AloneTest& test) {
  const auto bad = std::count_if(test.units.begin(), test.units.end(),
                                 [](const AloneTest::Unit& unit) { return unit.bad; });
  test.sparse = test.units.size() == 1 || static_cast<size_t>(bad) * 2 <= test.units.size();
}

std::string too_few(const Fleet& fleet, size_t units) {
  return fmt::format("{} to compare, and a fleet's median needs {}",
                     counted(static_cast<long long>(units), fleet.noun), kFewestToCompare);
}

AloneTest copy_test(const Fleet& fleet, double share,
                    const std::vector<const MeasuredGroup*>& alone) {
  AloneTest test;
  test.memory_copy = true;
  std::vector<double> limits;
  for (const MeasuredGroup* subject : alone) {
    if (subject->copy_limit) limits.push_back(*subject->copy_limit);
  }
  if (limits.empty()) return test;
  const double median = lower_median(limits);
  if (limits.size() < kFewestToCompare) test.unsure = too_few(fleet, limits.size());
  for (const MeasuredGroup* subject : alone) {
    if (!subject->copy_limit) continue;
    const double beyond = share * median / *subject->copy_limit;
    test.units.push_back(
        {subject->units[0], static_cast<size_t>(subject->copies), test.unsure.empty() && beyond > 1,
         beyond,
         fmt::format("copies memory at {}, {} of the fleet's median {} (at least {} demanded)",
                     about_bandwidth(*subject->copy_limit * 1e9),
                     percent(*subject->copy_limit / median), about_bandwidth(median * 1e9),
                     percent(share))});
  }
  judge_sparseness(test);
  return test;
}

AloneTest case_test(const Fleet& fleet, const Profile& profile, const CaseKey& key,
                    const std::vector<const MeasuredGroup*>& alone) {
  AloneTest test;
  test.key = key;
  const auto ratio = allowed_ratio(profile, Stage::kAlone, key);
  std::vector<double> seconds;
  for (const MeasuredGroup* subject : alone) {
    const auto cell = subject->cells.find(key);
    if (cell != subject->cells.end()) seconds.push_back(cell->second.seconds);
  }
  const bool compare = ratio && seconds.size() >= kFewestToCompare;
  if (ratio && !compare) test.unsure = too_few(fleet, seconds.size());
  const double median = lower_median(seconds);
  for (const MeasuredGroup* subject : alone) {
    const auto at = subject->cells.find(key);
    if (at == subject->cells.end()) continue;
    const Cell& cell = at->second;
    AloneTest::Unit unit{subject->units[0], static_cast<size_t>(cell.measured), false, 0, ""};
    const auto demand = absolute_demand(profile, Stage::kAlone, key, cell, subject->copy_limit);
    const std::string what = case_text(key, false);
    if (demand) {
      unit.beyond = demand->badness;
      unit.why =
          fmt::format("{} alone, {} ({})",
                      cell.busbw ? about_bandwidth(*cell.busbw * 1e9) : about_time(cell.seconds),
                      what, demand->words);
    }
    const double beside = cell.seconds / median;
    if (compare && beside / *ratio >= unit.beyond) {
      unit.beyond = beside / *ratio;
      unit.why = fmt::format("{} alone, {:.2f}x the fleet's median {}, {} ({:.2f}x allowed)",
                             about_time(cell.seconds), beside, about_time(median), what, *ratio);
    }
    unit.bad = unit.beyond > 1;
    if (demand || ratio) test.units.push_back(std::move(unit));
  }
  // What no fleet is needed for is judged all the same.
  const bool known = std::any_of(test.units.begin(), test.units.end(),
                                 [](const AloneTest::Unit& unit) { return unit.bad; });
  if (known) test.unsure.clear();
  judge_sparseness(test);
  return test;
}

}  // namespace

std::vector<AloneTest> alone_tests(const Fleet& fleet, const Profile& profile,
                                   const std::vector<MeasuredGroup>& subjects) {
  std::vector<const MeasuredGroup*> alone;
  std::set<CaseKey> keys;
  for (const MeasuredGroup& subject : subjects) {
    if (subject.stage != Stage::kAlone || subject.units.size() != 1) continue;
    alone.push_back(&subject);
    for (const auto& [key, cell] : subject.cells) keys.insert(key);
  }
  std::vector<AloneTest> tests;
  const auto keep = [&](AloneTest test) {
    if (!test.units.empty()) tests.push_back(std::move(test));
  };
  if (profile.min_copy_of_fleet) keep(copy_test(fleet, *profile.min_copy_of_fleet, alone));
  for (const CaseKey& key : keys) keep(case_test(fleet, profile, key, alone));
  return tests;
}

}  // namespace arb
