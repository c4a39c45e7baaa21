#include "reports/accept/cell_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/accept/demands.hpp"
#include "reports/accept/robust.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

/// One demand on a case, met or not.
struct Part {
  GateResult result = GateResult::kPass;
  std::string why;
};

class CellJudge {
 public:
  CellJudge(const Profile& profile, const Blame& blame, const MeasuredGroup& subject,
            const CaseKey& key, const Cell& cell)
      : profile_(profile), blame_(blame), subject_(subject), key_(key), cell_(cell) {
    values_.push_back({"time_s", cell.seconds, "s"});
    values_.push_back({"busbw_gbps", cell.busbw, "GB/s"});
  }

  std::optional<CellVerdict> verdict() {
    std::vector<Part> parts;
    for (auto& part : {beside_fleet(), by_itself(), spread()}) {
      if (part) parts.push_back(*part);
    }
    if (parts.empty()) return std::nullopt;
    CellVerdict verdict;
    for (const GateResult result : {GateResult::kUnsure, GateResult::kFail}) {
      const bool any = std::any_of(parts.begin(), parts.end(),
                                   [&](const Part& part) { return part.result == result; });
      if (any) verdict.result = result;
    }
    for (const Part& part : parts) {
      if (part.result == verdict.result)
        verdict.why += (verdict.why.empty() ? "" : "; ") + part.why;
    }
    verdict.values = std::move(values_);
    return verdict;
  }

 private:
  /// What the pairs say about the demand; nullptr: this is no pair.
  const Test* test_of(Sign sign) const {
    if (subject_.stage != Stage::kPairs) return nullptr;
    for (const Test& test : blame_.evidence.tests) {
      if (test.sign == sign && test.key == key_) return &test;
    }
    return nullptr;
  }

  bool measured_once() const { return subject_.results.size() < kFewestBad; }

  /// A bad pair that was measured once may have been disturbed; not so if all pairs are bad, or one
  /// of its units is to blame anyway.
  bool may_be_accident(const Test* test) const {
    return measured_once() && test != nullptr && test->pattern.explained && !blamed(subject_);
  }

  bool blamed(const MeasuredGroup& subject) const {
    return culprit_among(blame_, subject.units, false) != nullptr;
  }

  /// The fleet's median of this case, without those to blame, and of how many.
  std::pair<double, size_t> median() const {
    std::vector<double> seconds;
    std::vector<double> healthy;
    for (const MeasuredGroup& other : blame_.evidence.subjects) {
      const auto cell = other.cells.find(key_);
      if (other.stage != subject_.stage || other.units.size() != subject_.units.size() ||
          cell == other.cells.end()) {
        continue;
      }
      seconds.push_back(cell->second.seconds);
      if (!blamed(other)) healthy.push_back(cell->second.seconds);
    }
    return {lower_median(healthy.empty() ? seconds : healthy), seconds.size()};
  }

  std::optional<Part> beside_fleet() {
    const auto ratio = allowed_ratio(profile_, subject_.stage, key_);
    if (!ratio) return std::nullopt;
    const auto [of_all, like] = median();
    if (like < kFewestToCompare) {
      return Part{GateResult::kUnsure,
                  fmt::format("{} of this kind, and a fleet's median needs {}",
                              counted(static_cast<long long>(like), "group"), kFewestToCompare)};
    }
    const Test* test = test_of(Sign::kFleet);
    const double reference = test ? test->pattern.reference : of_all;
    const double beside = cell_.seconds / reference;
    values_.push_back({"fleet_median_s", reference, "s"});
    values_.push_back({"ratio", beside, ""});
    values_.push_back({"ratio_allowed", *ratio, ""});
    Part part{GateResult::kPass,
              fmt::format("{}, {:.2f}x the fleet's median {} ({:.2f}x allowed)",
                          about_time(cell_.seconds), beside, about_time(reference), *ratio)};
    if (beside <= *ratio) return part;
    const bool once = measured_once() && !blamed(subject_);
    part.result =
        not_met(subject_.stage == Stage::kGroups ? once : may_be_accident(test), part.why);
    return part;
  }

  std::optional<Part> by_itself() {
    const auto demand = absolute_demand(profile_, subject_.stage, key_, cell_,
                                        copy_limit_of(blame_.evidence.subjects, subject_.units));
    if (!demand) return std::nullopt;
    values_.push_back({"share_of_limit", 1 / demand->badness, ""});
    Part part{
        GateResult::kPass,
        fmt::format("{} ({}{}{})",
                    cell_.busbw ? about_bandwidth(*cell_.busbw * 1e9) : about_time(cell_.seconds),
                    demand->words, demand->source.empty() ? "" : "; source: ", demand->source)};
    if (demand->badness > 1) {
      part.result = not_met(may_be_accident(test_of(Sign::kAbsolute)), part.why);
    }
    return part;
  }

  std::optional<Part> spread() {
    const auto& most = profile_.max_spread;
    if (!most || !cell_.spread || key_.algorithm.empty()) return std::nullopt;
    values_.push_back({"spread", *cell_.spread, ""});
    Part part{GateResult::kPass, fmt::format("times spread by {} ({} allowed)",
                                             percent(*cell_.spread), percent(*most))};
    if (*cell_.spread > *most) {
      part.result = not_met(may_be_accident(test_of(Sign::kSpread)), part.why);
    }
    return part;
  }

  const Profile& profile_;
  const Blame& blame_;
  const MeasuredGroup& subject_;
  const CaseKey& key_;
  const Cell& cell_;
  std::vector<GateValue> values_;
};

}  // namespace

GateResult not_met(bool unsure, std::string& why) {
  if (unsure) why += "; measured once: measure it again";
  return unsure ? GateResult::kUnsure : GateResult::kFail;
}

std::optional<CellVerdict> judge_cell(const Profile& profile, const Blame& blame,
                                      const MeasuredGroup& subject, const CaseKey& key,
                                      const Cell& cell) {
  return CellJudge(profile, blame, subject, key, cell).verdict();
}

}  // namespace arb
