#include "reports/accept/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "reports/accept/demands.hpp"
#include "reports/accept/profile_rules.hpp"
#include "reports/accept/robust.hpp"
#include "reports/accept/rows.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

constexpr size_t kMostFindings = 5;  // that name nobody

bool measured(const std::vector<MeasuredGroup>& subjects, Stage stage) {
  return std::any_of(subjects.begin(), subjects.end(), [&](const MeasuredGroup& subject) {
    return subject.stage == stage && subject.error.empty();
  });
}

/// Is there something in this case that the limit can be held against?
bool judges(const Limit& limit, const MeasuredGroup& subject, const CaseKey& key,
            const Cell& cell) {
  if (!covers(limit, key)) return false;
  if (is_relative(limit) && relative_holds_in(limit, subject.stage)) return true;
  if (!holds_in(limit, subject.stage)) return false;
  return limit.max_time_s || ((limit.min_busbw_gbps || limit.min_busbw_of_limit) && cell.busbw);
}

std::string wanted_rows(const Limit& limit) {
  std::string text = fmt::format("of at least {}", exact_size(limit.min_bytes));
  if (limit.max_bytes) text += fmt::format(" and at most {}", exact_size(*limit.max_bytes));
  if (limit.ranks) text += fmt::format(" with {} ranks", *limit.ranks);
  if (!limit.algorithm.empty()) text += " by " + limit.algorithm;
  return text;
}

/// A limit that nothing was held against is a mistake of the profile, not a failure of the fleet.
void expect_rows(const Profile& profile, const std::vector<MeasuredGroup>& subjects) {
  for (size_t i = 0; i < profile.limits.size(); ++i) {
    const Limit& limit = profile.limits[i];
    bool any_stage = false;
    bool found = false;
    int64_t largest = 0;
    for (const MeasuredGroup& subject : subjects) {
      if (!holds_in(limit, subject.stage) || !measured(subjects, subject.stage)) continue;
      any_stage = true;
      for (const auto& [key, cell] : subject.cells) {
        largest = std::max(largest, key.bytes);
        found = found || judges(limit, subject, key, cell);
      }
    }
    if (!any_stage || found) continue;
    throw std::invalid_argument(fmt::format(
        "limits[{}] ({}): no row {} to judge; the largest that was measured has {}: change "
        "\"sizes\" or \"algorithms\" of the stages, or the limit",
        i, describe(limit), wanted_rows(limit), exact_size(largest)));
  }
}

std::vector<std::string> context_of(const Fleet& fleet, const Profile& profile,
                                    const std::vector<MeasuredGroup>& subjects) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("profile {}: {}", profile.name, profile.description));
  lines.push_back("source: " + profile.source);
  std::vector<int> all;
  size_t ranks = 0;
  for (size_t unit = 0; unit < fleet.units.size(); ++unit) {
    all.push_back(static_cast<int>(unit));
    ranks += fleet.units[unit].ranks.size();
  }
  lines.push_back(fmt::format("{}, {}: {}", counted(static_cast<long long>(all.size()), fleet.noun),
                              counted(static_cast<long long>(ranks), "rank"),
                              units_text(fleet, all)));
  std::vector<std::string> done;
  for (const StagePlan& plan : profile.stages) {
    std::set<int64_t> rounds;
    size_t groups = 0;
    for (const MeasuredGroup& subject : subjects) {
      if (subject.stage != plan.stage) continue;
      ++groups;
      for (const GroupResult* result : subject.results) rounds.insert(result->round);
    }
    if (groups == 0) continue;
    std::string text(name(plan.stage));
    if (plan.stage == Stage::kPairs || plan.stage == Stage::kGroups) {
      text += fmt::format(" ({} in {})", counted(static_cast<long long>(groups), "group"),
                          counted(static_cast<long long>(rounds.size()), "round"));
    }
    done.push_back(text);
  }
  lines.push_back(done.empty() ? "nothing was measured"
                               : fmt::format("measured: {}", fmt::join(done, ", ")));
  return lines;
}

/// Why a stage of the profile has no results; empty: it has.
std::string missing(const Fleet& fleet, const std::vector<MeasuredGroup>& subjects, Stage stage) {
  const bool there =
      std::any_of(subjects.begin(), subjects.end(),
                  [&](const MeasuredGroup& subject) { return subject.stage == stage; });
  if (there) return "";
  const auto holds = [stage](const std::vector<Stage>& stages) {
    return std::find(stages.begin(), stages.end(), stage) != stages.end();
  };
  if (holds(fleet.unasked)) return "--stages leaves it out";
  if (holds(fleet.skipped)) {
    return fmt::format("makes no sense for {}",
                       counted(static_cast<long long>(fleet.units.size()), fleet.noun));
  }
  return fleet.complete ? "not measured" : "not measured: the acceptance was cut before";
}

/// Pairs that are bad in no pattern: as good as all of them, or too many for a few culprits.
std::vector<std::string> without_pattern(const Fleet& fleet, const Blame& blame) {
  std::vector<std::string> findings;
  if (fleet.units.size() < 3) return findings;
  for (const Test& test : blame.evidence.tests) {
    if (test.pattern.explained || test.sign == Sign::kAny) continue;
    size_t bad = 0;
    std::vector<double> values;
    for (size_t e = 0; e < test.edges.size(); ++e) {
      if (test.pattern.bad[e]) ++bad;
      const auto& cells = blame.evidence.subjects[test.subjects[e]].cells;
      const auto cell = cells.find(test.key);
      if (cell != cells.end()) {
        values.push_back(test.sign == Sign::kSpread ? cell->second.spread.value_or(0)
                         : cell->second.busbw       ? *cell->second.busbw
                                                    : cell->second.seconds);
      }
    }
    const bool whole = bad == test.edges.size();
    std::string text = whole
                           ? "FAIL: the whole fleet"
                           : fmt::format("FAIL: {} of {} pairs, without a pattern that names a {}",
                                         bad, test.edges.size(), fleet.noun);
    if (test.sign == Sign::kError) {
      findings.push_back(text + " could not be measured");
      continue;
    }
    text += ", " + case_text(test.key, false) + ": ";
    if (test.sign == Sign::kFleet) {
      text += fmt::format("beyond {:.2f}x the median of {}", test.factor,
                          about_time(test.pattern.reference));
    } else if (test.sign == Sign::kSpread) {
      text += fmt::format("times spread by {} in the median", percent(lower_median(values)));
    } else {
      const auto& cell =
          blame.evidence.subjects[test.subjects.front()].cells.find(test.key)->second;
      text += fmt::format("{} in the median ({})",
                          cell.busbw ? about_bandwidth(lower_median(values) * 1e9)
                                     : about_time(lower_median(values)),
                          test.words.front());
    }
    findings.push_back(text);
  }
  return findings;
}

/// Relative demands see a minority only: a pair far better than the median hints at more.
void warn_of_fast_pairs(const Fleet& fleet, const Blame& blame,
                        std::vector<std::string>& warnings) {
  double most = 1;
  std::string text;
  for (const Test& test : blame.evidence.tests) {
    if (test.sign != Sign::kFleet) continue;
    for (size_t e = 0; e < test.edges.size(); ++e) {
      const double faster = test.pattern.reference / test.edges[e].value;
      if (faster <= test.factor || faster <= most) continue;
      most = faster;
      text = fmt::format(
          "{} is {:.1f}x as fast as the fleet's median ({}): if that is what is "
          "normal, most of the fleet is slow, which demands relative to its median "
          "cannot see; give the limit min_busbw_gbps or max_time_us",
          units_text(fleet, {test.edges[e].a, test.edges[e].b}), faster,
          case_text(test.key, false));
    }
  }
  if (!text.empty()) warnings.push_back(text);
}

/// An acceptance that only looked at the data looks like one that passed.
void warn_of_unjudged_times(const std::vector<JudgedRow>& rows,
                            std::vector<std::string>& warnings) {
  const GateRow* first = nullptr;
  size_t unsure = 0;
  for (const JudgedRow& judged : rows) {
    if (!judged.on_times || judged.row.result == GateResult::kSkipped) continue;
    if (judged.row.result != GateResult::kUnsure) return;
    if (unsure++ == 0) first = &judged.row;
  }
  if (first == nullptr) return;
  warnings.push_back(fmt::format(
      "only the data was judged: of {} on times none can be told ({}: {}); --fail-unsure makes "
      "that fail",
      counted(static_cast<long long>(unsure), "demand"), first->name, first->why));
}

void find(Gate& gate, const Fleet& fleet, const Blame& blame, const std::vector<JudgedRow>& rows) {
  for (const Culprit& culprit : blame.culprits) {
    gate.findings.push_back(fmt::format("FAIL {}: {}", culprit_text(fleet, culprit), culprit.why));
  }
  for (std::string& text : without_pattern(fleet, blame)) gate.findings.push_back(std::move(text));
  size_t more = 0;
  size_t told = 0;
  size_t once = 0;
  for (const auto& [row, stage, on_times, covered] : rows) {
    const bool bad = row.result == GateResult::kFail || row.result == GateResult::kWrong;
    if (row.result == GateResult::kUnsure && row.why.find("measured once") != std::string::npos) {
      ++once;
    }
    const bool told_by_pattern = stage == Stage::kPairs && row.result == GateResult::kFail;
    if (!bad || covered || told_by_pattern) continue;
    if (told++ < kMostFindings) {
      gate.findings.push_back(fmt::format("FAIL {} ({}): {}", row.name, row.group, row.why));
    } else {
      ++more;
    }
  }
  if (more > 0) {
    gate.findings.push_back(
        fmt::format("FAIL: {} more of this kind", counted(static_cast<long long>(more), "row")));
  }
  if (once > 0) {
    gate.warnings.push_back(
        fmt::format("{} bad once, which may have been a disturbance: measure again",
                    once == 1 ? "1 row was" : fmt::format("{} rows were", once)));
  }
}

}  // namespace

Gate judge(const Fleet& fleet, const Profile& profile) {
  const Blame blame = blame_by(fleet, profile);
  const std::vector<MeasuredGroup>& subjects = blame.evidence.subjects;
  expect_rows(profile, subjects);
  Gate gate;
  gate.name = "accept " + profile.name;
  gate.complete = fleet.complete;
  gate.context = context_of(fleet, profile, subjects);
  std::vector<JudgedRow> rows = rows_of(fleet, profile, blame);
  find(gate, fleet, blame, rows);
  warn_of_unjudged_times(rows, gate.warnings);
  for (JudgedRow& judged : rows) gate.rows.push_back(std::move(judged.row));
  for (const StagePlan& plan : profile.stages) {
    const std::string why = missing(fleet, subjects, plan.stage);
    if (why.empty()) continue;
    GateRow& row = gate.rows.emplace_back();
    row.group = std::string(name(plan.stage));
    row.name = "stage";
    row.result = GateResult::kSkipped;
    row.verdict = "skipped";
    row.why = why;
    gate.context.push_back(fmt::format("skipped: {} ({})", name(plan.stage), why));
  }
  warn_of_fast_pairs(fleet, blame, gate.warnings);
  return gate;
}

}  // namespace arb
