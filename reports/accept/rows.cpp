#include "reports/accept/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/accept/cell_verdict.hpp"
#include "reports/accept/drift.hpp"
#include "reports/accept/wrong.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

class Rows {
 public:
  Rows(const Fleet& fleet, const Profile& profile, const Blame& blame)
      : fleet_(fleet), profile_(profile), blame_(blame) {
    std::set<std::string> kinds;
    for (const MeasuredGroup& subject : blame.evidence.subjects) {
      for (const auto& [key, cell] : subject.cells) kinds.insert(key.kind);
    }
    kinds_ = kinds.size() > 1;
  }

  std::vector<JudgedRow> all() {
    for (const MeasuredGroup& subject : blame_.evidence.subjects) {
      data(subject);
      unmeasured(subject);
      if (subject.stage == Stage::kAlone) continue;
      for (const auto& [key, cell] : subject.cells) measured(subject, key, cell);
      if (subject.stage == Stage::kSoak && profile_.max_drift) drift(subject);
    }
    for (const AloneTest& test : blame_.alone) alone(test);
    if (profile_.max_straggler_share) waited_for();
    return std::move(rows_);
  }

 private:
  std::string stage_text(const MeasuredGroup& subject) const {
    if (subject.stage == Stage::kPairs) return fmt::format("pairs, round {}", subject.round + 1);
    if (subject.stage == Stage::kGroups) return fmt::format("groups of {}", subject.units.size());
    return std::string(name(subject.stage));
  }

  JudgedRow& add(Stage stage, std::string group, std::string name, GateResult result,
                 std::string why, const std::vector<int>& units) {
    JudgedRow& judged = rows_.emplace_back();
    judged.stage = stage;
    judged.row.group = std::move(group);
    judged.row.name = std::move(name);
    judged.row.result = result;
    judged.row.why = std::move(why);
    const Culprit* culprit = culprit_among(blame_, units, result == GateResult::kWrong);
    const bool bad = result == GateResult::kFail || result == GateResult::kWrong;
    judged.covered = bad && culprit != nullptr;
    switch (result) {
      case GateResult::kPass:
        judged.row.verdict = "ok";
        break;
      case GateResult::kUnsure:
        judged.row.verdict = "cannot tell";
        break;
      case GateResult::kSkipped:
        judged.row.verdict = "skipped";
        break;
      default:
        judged.row.verdict = judged.covered ? "FAIL " + culprit_text(fleet_, *culprit) : "FAIL";
    }
    return judged;
  }

  void data(const MeasuredGroup& subject) {
    const std::string who = group_text(fleet_, subject);
    int64_t checks = 0;
    size_t records = 0;
    double seconds = 0;
    for (const GroupResult* result : subject.results) {
      seconds += result->seconds;
      for (const Record& record : result->records) {
        if (record.status != Status::kSkipped) ++records;
        checks += record.verify.checks;
      }
    }
    if (records == 0) return;
    const std::string wrong = wrong_data(fleet_, subject);
    const GateResult result = !wrong.empty() ? GateResult::kWrong
                              : checks == 0  ? GateResult::kUnsure
                                             : GateResult::kPass;
    const std::string why =
        !wrong.empty() ? wrong
        : checks == 0  ? "no result was checked; take \"check\": 0 out of the profile"
                       : fmt::format("{}, all right", counted(checks, "checked operation"));
    JudgedRow& row =
        add(subject.stage, stage_text(subject), who + ", data", result, why, subject.units);
    row.row.seconds = seconds;
  }

  /// What should have been measured, and was not.
  void unmeasured(const MeasuredGroup& subject) {
    const std::string who = group_text(fleet_, subject);
    if (!subject.error.empty()) {
      add(subject.stage, stage_text(subject), who + ", measuring", GateResult::kFail,
          fmt::format("{} could not be measured: {}", who, printable(subject.error)),
          subject.units);
    }
    std::set<std::string> seen;
    for (const GroupResult* result : subject.results) {
      for (const Record& record : result->records) {
        const CaseKey key{record.bytes, record.algorithm, record.ranks, kind_of(record)};
        const bool skipped = record.status == Status::kSkipped;
        if (subject.cells.contains(key) || (!skipped && record.status != Status::kTimeout))
          continue;
        const std::string name = who + ", " + case_text(key, kinds_);
        if (!seen.insert(name).second) continue;
        add(subject.stage, stage_text(subject), name, GateResult::kSkipped,
            printable(record.reason), subject.units);
      }
    }
  }

  void measured(const MeasuredGroup& subject, const CaseKey& key, const Cell& cell) {
    auto verdict = judge_cell(profile_, blame_, subject, key, cell);
    if (!verdict) return;
    if (key.algorithm.empty()) verdict->why += fmt::format("; fastest is {}", cell.algorithm);
    JudgedRow& row = add(subject.stage, stage_text(subject),
                         group_text(fleet_, subject) + ", " + case_text(key, kinds_),
                         verdict->result, verdict->why, subject.units);
    row.row.values = std::move(verdict->values);
    row.on_times = true;
  }

  void drift(const MeasuredGroup& subject) {
    for (const Drift& each : drifts_of(subject)) {
      GateResult result = GateResult::kUnsure;
      std::string why = fmt::format("{} in the soak, and a drift needs {}",
                                    counted(each.repeats, "repeat"), kFewestForDrift);
      if (each.share) {
        result = *each.share > *profile_.max_drift ? GateResult::kFail : GateResult::kPass;
        why =
            fmt::format("from {} in the first quarter to {} in the last, {}{} ({} allowed)",
                        about_time(each.first), about_time(each.last), *each.share < 0 ? "-" : "+",
                        percent(std::abs(*each.share)), percent(*profile_.max_drift));
      }
      JudgedRow& row = add(
          subject.stage, stage_text(subject),
          fmt::format("{}, {}, drift", group_text(fleet_, subject), case_text(each.key, kinds_)),
          result, why, subject.units);
      row.row.values.push_back({"drift", each.share, ""});
      row.on_times = true;
    }
  }

  void alone(const AloneTest& test) {
    for (const AloneTest::Unit& unit : test.units) {
      GateResult result = GateResult::kPass;
      std::string why = unit.why;
      if (unit.bad) {
        result = not_met(test.sparse && unit.measured < kFewestBad, why);
      } else if (!test.unsure.empty()) {
        result = GateResult::kUnsure;
        why = test.unsure;
      }
      const std::string what = test.memory_copy ? "memory copy" : case_text(test.key, kinds_);
      add(Stage::kAlone, "alone", units_text(fleet_, {unit.unit}) + ", " + what, result, why,
          {unit.unit})
          .on_times = true;
    }
  }

  void waited_for() {
    for (size_t unit = 0; unit < blame_.lateness.size(); ++unit) {
      const Lateness& late = blame_.lateness[unit];
      if (late.cases == 0) continue;
      const std::vector<int> units = {static_cast<int>(unit)};
      const Culprit* culprit = culprit_among(blame_, units, false);
      const double share = static_cast<double>(late.waited) / static_cast<double>(late.cases);
      const bool fails = culprit && share > *profile_.max_straggler_share;
      JudgedRow& row =
          add(Stage::kPairs, "pairs", units_text(fleet_, units) + ", waited for",
              fails ? GateResult::kFail : GateResult::kPass,
              fmt::format("the others waited for it in {} of {} cases ({} allowed)", late.waited,
                          late.cases, percent(*profile_.max_straggler_share)),
              units);
      row.row.values.push_back({"share", share, ""});
    }
  }

  const Fleet& fleet_;
  const Profile& profile_;
  const Blame& blame_;
  bool kinds_ = false;
  std::vector<JudgedRow> rows_;
};

}  // namespace

std::string culprit_text(const Fleet& fleet, const Culprit& culprit) {
  std::string text;
  for (const int unit : culprit.units) {
    text += (text.empty() ? "" : " - ") + fleet.units[static_cast<size_t>(unit)].name;
  }
  return text;
}

std::string group_text(const Fleet& fleet, const MeasuredGroup& subject) {
  if (subject.units.size() < fleet.units.size() || subject.units.size() == 1) {
    return units_text(fleet, subject.units);
  }
  if (subject.stage != Stage::kAll && subject.stage != Stage::kSoak) {
    return units_text(fleet, subject.units);
  }
  return "all " + counted(static_cast<long long>(subject.units.size()), fleet.noun);
}

std::vector<JudgedRow> rows_of(const Fleet& fleet, const Profile& profile, const Blame& blame) {
  return Rows(fleet, profile, blame).all();
}

}  // namespace arb
