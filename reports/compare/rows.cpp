#include "reports/compare/rows.hpp"

#include <cmath>
#include <stdexcept>

#include "reports/compare/machines.hpp"
#include "reports/compare/prior.hpp"

namespace arb {
namespace {

constexpr size_t kFewestTogether = 3;

void check_rules(const CompareRules& rules) {
  if (!(rules.level > 0 && rules.level < 0.5)) {
    throw std::invalid_argument("the chance of a false alarm must lie between 0 and 0.5");
  }
  if (rules.max_drop.empty() || rules.max_drop.back().max_bytes) {
    throw std::invalid_argument("the last allowed drop must be for all sizes above the others");
  }
  for (const DropClass& each : rules.max_drop) {
    if (!(each.drop >= 0 && each.drop < 1)) {
      throw std::invalid_argument("an allowed drop must be at least 0 % and below 100 %");
    }
  }
}

std::vector<std::optional<double>> logs(const Records& starts) {
  std::vector<std::optional<double>> values;
  for (const Record* start : starts) {
    values.push_back(start == nullptr ? std::nullopt
                                      : std::optional(std::log(start->time->median)));
  }
  return values;
}

std::optional<double> typical_median(const Records& starts) {
  std::vector<double> medians;
  for (const Record* start : starts) {
    if (start != nullptr && start->status == Status::kOk && start->time &&
        std::isfinite(start->time->median) && start->time->median > 0) {
      medians.push_back(start->time->median);
    }
  }
  if (medians.empty()) return std::nullopt;
  return median_of(std::move(medians));
}

}  // namespace

std::vector<OpenRow> open_rows(const StartReports& base, const StartReports& fresh,
                               const CompareRules& rules, Sifted (*sift)(const MatchedCase&),
                               Comparison& comparison) {
  check_rules(rules);
  if (base.empty() || fresh.empty()) {
    throw std::invalid_argument("nothing to compare: at least one report of each build is needed");
  }
  check_machines(base, fresh, rules.allow_other_machine, comparison.warnings);
  std::vector<OpenRow> open;
  for (const MatchedCase& each : match(base, fresh, rules, comparison.warnings)) {
    CompareRow row;
    row.key = each.key;
    row.why = each.why;
    row.base_median = typical_median(each.base);
    row.fresh_median = typical_median(each.fresh);
    if (each.settled) {
      row.change = *each.settled;
      comparison.rows.push_back(std::move(row));
      continue;
    }
    row.limit = time_limit(allowed_drop(rules, each.key.bytes));
    Sifted starts = sift(each);
    row.base_starts = starts_of(starts.base);
    row.fresh_starts = starts_of(starts.fresh);
    if (starts.why.empty()) {
      row.base_median = typical_median(starts.base);
      row.fresh_median = typical_median(starts.fresh);
      StartTimes times{logs(starts.base), logs(starts.fresh)};
      open.push_back({comparison.rows.size(), each.variant, std::move(starts), std::move(times)});
    } else {
      row.change = Change::kCannotTell;
      row.ratio = *row.fresh_median / *row.base_median;
      row.why = starts.why;
    }
    comparison.rows.push_back(std::move(row));
  }
  return open;
}

std::vector<Aggregate> aggregates_of(const std::vector<OpenRow>& open,
                                     const std::function<bool(const OpenRow&)>& may_join,
                                     const Comparison& comparison) {
  const auto row_of = [&](size_t i) -> const CompareRow& { return comparison.rows[open[i].index]; };
  std::vector<size_t> members;
  for (size_t i = 0; i < open.size(); ++i) {
    if (may_join(open[i])) members.push_back(i);
  }
  std::vector<Aggregate> aggregates;
  const auto add = [&](const std::vector<size_t>& together, bool one_algorithm) {
    if (together.size() < kFewestTogether) return;
    CompareRow row;
    row.key = row_of(together.front()).key;
    row.key.bytes = row.key.requested_bytes = row.key.count = 0;
    if (!one_algorithm) {
      row.key.algorithm.clear();
      row.key.protocol.clear();
    }
    row.cases = static_cast<int64_t>(together.size());
    for (const size_t i : together) {  // the loosest, where sizes have limits of their own
      row.limit = std::max(row.limit.value_or(0), *row_of(i).limit);
    }
    aggregates.push_back({std::move(row), together});
  };
  const auto blocks = grouped(members, [&](size_t i) { return block_key(&row_of(i).key); });
  for (const auto& [block, of_block] : blocks) {
    const auto algorithms = grouped(of_block, [&](size_t i) { return open[i].variant; });
    for (const auto& [variant, together] : algorithms) add(together, true);
    if (algorithms.size() > 1) add(of_block, false);
  }
  return aggregates;
}

std::vector<std::optional<double>> medians_over(
    const Aggregate& aggregate,
    const std::function<std::vector<std::optional<double>>(size_t member)>& values) {
  std::vector<std::vector<double>> of_start;
  for (const size_t i : aggregate.members) {
    const std::vector<std::optional<double>> of_member = values(i);
    of_start.resize(of_member.size());
    for (size_t s = 0; s < of_member.size(); ++s) {
      if (of_member[s]) of_start[s].push_back(*of_member[s]);
    }
  }
  std::vector<std::optional<double>> medians;
  medians.reserve(of_start.size());
  for (const std::vector<double>& each : of_start) {
    medians.push_back(each.size() < kFewestTogether ? std::nullopt
                                                    : std::optional(median_of(each)));
  }
  return medians;
}

void judge_both(const std::vector<Evidence>& rows, const std::vector<Evidence>& aggregates,
                double level) {
  const double share = rows.empty() || aggregates.empty() ? level : level / 2;
  judge(rows, share);
  judge(aggregates, share);
}

}  // namespace arb
