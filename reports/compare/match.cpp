#include "reports/compare/match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "reports/json.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

Record identity(const Record& record) {
  Record key = record;
  key.status = Status::kOk;
  key.reason.clear();
  key.time.reset();
  key.completion.reset();
  key.clock_error_s.reset();
  key.algbw_gbps.reset();
  key.busbw_gbps.reset();
  key.limit_share.reset();
  key.handoff_s.reset();
  key.straggler.reset();
  key.traffic.reset();
  key.verify = {};
  key.gpu_state.reset();
  key.flags.clear();
  return key;
}

auto without_protocol(const Record& record) {
  return std::make_tuple(block_key(&record), record.algorithm, record.bytes);
}
using CaseKey = std::tuple<decltype(without_protocol(Record{})), std::string>;

bool is_wrong(const Record* record) { return record != nullptr && arb::is_wrong(*record); }
bool is_measured(const Record* record) {
  return record != nullptr && record->status == Status::kOk && !is_wrong(record);
}

std::string row_name(const MatchedCase& row) {
  return fmt::format("{} {} ({})", printable(row.variant), exact_size(row.key.bytes),
                     block_title(row.key));
}

bool is_there(const Record* record) { return record != nullptr; }

const Record* find(const Records& starts, bool (*fits)(const Record*)) {
  for (const Record* start : starts) {
    if (fits(start)) return start;
  }
  return nullptr;
}

std::string not_measured_text(const Record& record) {
  return fmt::format("{}{}{}", name(record.status), record.reason.empty() ? "" : ": ",
                     printable(record.reason));
}

class Matching {
 public:
  Matching(const StartReports& base, const StartReports& fresh) : base_(base), fresh_(fresh) {
    find_protocols(base);
    find_protocols(fresh);
    add(base, &MatchedCase::base, "baseline");
    add(fresh, &MatchedCase::fresh, "new report");
  }

  std::vector<MatchedCase> take() { return std::move(cases_); }

 private:
  void find_protocols(const StartReports& starts) {
    for (const Report* report : starts) {
      std::map<decltype(without_protocol(Record{})), std::string> first;
      for (const Record& record : report->records) {
        const auto [at, added] = first.emplace(without_protocol(record), record.protocol);
        if (!added && at->second != record.protocol) several_.insert(at->first);
      }
    }
  }

  CaseKey key_of(const Record& record) const {
    const auto key = without_protocol(record);
    return {key, several_.contains(key) ? record.protocol : ""};
  }

  void add(const StartReports& starts, Records MatchedCase::*side, std::string_view side_name) {
    for (size_t s = 0; s < starts.size(); ++s) {
      for (const Record& record : starts[s]->records) {
        MatchedCase& found = case_of(record);
        const Record*& place = (found.*side)[s];
        if (place != nullptr) {
          throw std::invalid_argument(fmt::format(
              "a {} holds {} twice; give every start of the program a report of its own", side_name,
              row_name(found)));
        }
        place = &record;
      }
    }
  }

  MatchedCase& case_of(const Record& record) {
    const CaseKey key = key_of(record);
    const auto [at, added] = index_.emplace(key, cases_.size());
    if (added) {
      const std::string& protocol = std::get<1>(key);
      cases_.push_back({.key = identity(record),
                        .variant = record.algorithm + (protocol.empty() ? "" : "/" + protocol),
                        .base = Records(base_.size()),
                        .fresh = Records(fresh_.size()),
                        .settled = std::nullopt,
                        .why = ""});
    }
    return cases_[at->second];
  }

  const StartReports& base_;
  const StartReports& fresh_;
  std::set<decltype(without_protocol(Record{}))> several_;
  std::map<CaseKey, size_t> index_;
  std::vector<MatchedCase> cases_;
};

/// Throws unless every median is one.
void check_medians(const MatchedCase& row, const Records& starts, std::string_view side,
                   std::string_view remedy) {
  for (const Record* start : starts) {
    if (!is_measured(start)) continue;
    const bool sound = start->time && std::isfinite(start->time->median) && start->time->median > 0;
    if (sound) continue;
    const std::string got = start->time && std::isfinite(start->time->median)
                                ? fmt::format("a median of {} s", shortest(start->time->median))
                                : "no median";
    throw std::invalid_argument(
        fmt::format("{}: {} of {}, which cannot be judged; {}", side, got, row_name(row), remedy));
  }
}

void settle(MatchedCase& row, const CompareRules& rules) {
  const auto say = [&row](Change change, std::string why) {
    row.settled = change;
    row.why = std::move(why);
  };
  const Record* const wrong_now = find(row.fresh, is_wrong);
  const Record* const wrong = wrong_now != nullptr ? wrong_now : find(row.base, is_wrong);
  if (wrong != nullptr) {
    return say(Change::kWrong,
               (wrong_now != nullptr ? "" : "in the baseline: ") + wrong_text(*wrong));
  }
  const Record* const old = find(row.base, is_measured);
  const Record* const now = find(row.fresh, is_measured);
  const Record* const other_old = find(row.base, is_there);
  const Record* const other_now = find(row.fresh, is_there);
  if (row.key.bytes < rules.min_bytes) {
    return say(Change::kNotJudged, "smaller than " + exact_size(rules.min_bytes));
  }
  if (old == nullptr && now == nullptr) {
    const Record* const either = other_now != nullptr ? other_now : other_old;
    return say(Change::kNotJudged, not_measured_text(*either));
  }
  if (old == nullptr) {
    return say(Change::kNews, other_old == nullptr
                                  ? "not in the baseline"
                                  : "was not measured: " + not_measured_text(*other_old));
  }
  if (now == nullptr) {
    return say(Change::kMissing,
               other_now == nullptr
                   ? "was measured, is not in the new report; --allow-missing lets it pass"
                   : "was measured, now " + not_measured_text(*other_now));
  }
  check_medians(row, row.base, "baseline", "measure the baseline again");
  check_medians(row, row.fresh, "new report", "measure again");
}

void allow_missing(std::vector<MatchedCase>& cases, std::vector<std::string>& warnings) {
  size_t missing = 0;
  const MatchedCase* first = nullptr;
  for (MatchedCase& row : cases) {
    if (row.settled != Change::kMissing) continue;
    row.settled = Change::kNotJudged;
    row.why = "missing, which is allowed: " + row.why;
    if (missing++ == 0) first = &row;
  }
  if (missing == 0) return;
  warnings.push_back(fmt::format("{} of the baseline {} missing, as --allow-missing allows: {}{}",
                                 counted(static_cast<long long>(missing), "row"),
                                 missing == 1 ? "is" : "are", row_name(*first),
                                 missing == 1 ? "" : " and more"));
}

/// Drops what was not asked for, but what is wrong.
void choose(std::vector<MatchedCase>& cases, const std::vector<std::string>& only) {
  std::set<std::string> there;
  for (const MatchedCase& row : cases) there.insert(row.key.algorithm);
  for (const std::string& wanted : only) {
    if (there.contains(wanted)) continue;
    std::string list;
    for (const std::string& each : there) list += (list.empty() ? "" : ", ") + printable(each);
    throw std::invalid_argument(fmt::format("no row of algorithm '{}' to judge; there is {}",
                                            printable(wanted), list.empty() ? "none" : list));
  }
  std::erase_if(cases, [&](const MatchedCase& row) {
    return row.settled != Change::kWrong &&
           std::find(only.begin(), only.end(), row.key.algorithm) == only.end();
  });
}

void require_something(const std::vector<MatchedCase>& cases, const CompareRules& rules) {
  int64_t largest = -1;
  const Record* unmeasured = nullptr;
  for (const MatchedCase& row : cases) {
    const bool decided =
        !row.settled || row.settled == Change::kWrong || row.settled == Change::kMissing;
    if (decided) return;
    if (find(row.base, is_measured) != nullptr) largest = std::max(largest, row.key.bytes);
    if (unmeasured == nullptr) unmeasured = find(row.base, is_there);
  }
  if (largest >= 0 && largest < rules.min_bytes) {
    throw std::invalid_argument(
        fmt::format("no row of at least {} to judge; the largest is {}; lower --min-bytes or "
                    "measure larger sizes",
                    exact_size(rules.min_bytes), exact_size(largest)));
  }
  if (largest >= 0) {
    throw std::invalid_argument(
        "no row to judge: nothing of the baseline is in the new report; measure the same cases in "
        "both");
  }
  throw std::invalid_argument(
      fmt::format("no row to judge: the baseline has no measured row{}; measure it again",
                  unmeasured == nullptr ? "" : " (" + not_measured_text(*unmeasured) + ")"));
}

}  // namespace

std::vector<MatchedCase> match(const StartReports& base, const StartReports& fresh,
                               const CompareRules& rules, std::vector<std::string>& warnings) {
  std::vector<MatchedCase> cases = Matching(base, fresh).take();
  for (MatchedCase& row : cases) {
    const bool chosen = rules.only.empty() || std::find(rules.only.begin(), rules.only.end(),
                                                        row.key.algorithm) != rules.only.end();
    if (chosen || find(row.base, is_wrong) != nullptr || find(row.fresh, is_wrong) != nullptr) {
      settle(row, rules);
    } else {
      row.settled = Change::kNotJudged;
    }
  }
  if (!rules.only.empty()) choose(cases, rules.only);
  if (rules.allow_missing) allow_missing(cases, warnings);
  require_something(cases, rules);
  return cases;
}

}  // namespace arb
