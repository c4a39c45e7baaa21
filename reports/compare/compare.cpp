#include "reports/compare/compare.hpp"

#include <fmt/format.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "reports/compare/prior.hpp"
#include "reports/compare/ranks.hpp"
#include "reports/compare/rows.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

constexpr int64_t kEnoughSamples = 6;  // for an interval of the median
constexpr double kNormal95 = 1.959963985;
constexpr int64_t kSmall = 32 << 10;  // bytes: latency up to here, bandwidth above

bool few_samples(const TimeStats& time) { return time.n >= 1 && time.n < kEnoughSamples; }

/// Standard deviation of the log of a median, as its samples tell it.
double within(const TimeStats& time) {
  const auto width = [](double low, double high) {
    return low > 0 && std::isfinite(high) ? std::log(high / low) / 2 : 0;
  };
  if (time.ci95) return width(time.ci95->first, time.ci95->second) / kNormal95;
  if (time.n < 2) return 0;
  // The extremes enclose the median with a chance of 1 - 2^(1-n).
  const double tail = std::pow(0.5, static_cast<double>(time.n));
  const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), tail));
  return width(time.min, time.max) / z;
}

/// Of the mean over starts.
double within_variance(const Records& starts) {
  double sum = 0;
  for (const Record* start : starts) {
    if (start != nullptr) sum += std::pow(within(*start->time), 2);
  }
  const auto count = static_cast<double>(starts_of(starts));
  return sum / (count * count);
}

bool any_few(const Records& starts) {
  for (const Record* start : starts) {
    if (start != nullptr && few_samples(*start->time)) return true;
  }
  return false;
}

bool stands_alone(const OpenRow& row) {
  return any_few(row.starts.base) || any_few(row.starts.fresh);
}

std::vector<double> samples(const Records& starts, double factor) {
  std::vector<double> all;
  for (const Record* start : starts) {
    if (start == nullptr) continue;
    for (const double sample : start->time->samples) all.push_back(sample * factor);
  }
  return all;
}

Evidence evidence_of(const Difference& difference, CompareRow& row) {
  return {&row, difference.value, [difference](double limit) { return difference.p_above(limit); },
          [difference](double tail) { return difference.interval(tail); }};
}

SpreadRow spread_row(const OpenRow& row, const Record& key) {
  SpreadRow known;
  known.times = row.times;
  known.within = std::sqrt(within_variance(row.starts.base) + within_variance(row.starts.fresh));
  known.alone = stands_alone(row);
  known.alike = key.bytes <= kSmall ? 0 : 1;
  return known;
}

std::vector<Evidence> judge_rows(const std::vector<OpenRow>& open, Comparison& comparison,
                                 std::vector<SpreadRow>& known) {
  for (const OpenRow& each : open)
    known.push_back(spread_row(each, comparison.rows[each.index].key));
  const Spread spread = spread_of(known);
  comparison.spread = spread.typical;
  comparison.spread_from = spread.from;
  if (!spread.repeated && !open.empty()) {
    comparison.warnings.push_back("how much times differ from start to start of the program is " +
                                  spread.from +
                                  "; give more reports of the same build with --baseline");
  }
  std::vector<Evidence> family;
  for (size_t i = 0; i < open.size(); ++i) {
    CompareRow& row = comparison.rows[open[i].index];
    row.rank_sum_p =
        rank_sum_p(samples(open[i].starts.base, *row.limit), samples(open[i].starts.fresh, 1));
    if (spread.rows[i].known()) {
      family.push_back(evidence_of(spread.rows[i], row));
      continue;
    }
    row.ratio = std::exp(spread.rows[i].value);
    row.change = Change::kCannotTell;
    row.why = fmt::format(
        "fewer than {} samples in one start on each side do not tell; raise --max-time, or give "
        "more reports with --baseline",
        kEnoughSamples);
  }
  return family;
}

/// By start: above the mean of the baseline.
std::vector<std::optional<double>> above_baseline(
    const OpenRow& row, std::vector<std::optional<double>> StartTimes::*side) {
  std::vector<std::optional<double>> values = row.times.*side;
  for (auto& value : values) {
    if (value) *value -= mean_of(row.times.base);
  }
  return values;
}

SpreadRow spread_row(const Aggregate& aggregate, const std::vector<OpenRow>& open,
                     const std::vector<SpreadRow>& known) {
  SpreadRow row;
  for (const auto side : {&StartTimes::base, &StartTimes::fresh}) {
    row.times.*side =
        medians_over(aggregate, [&](size_t i) { return above_baseline(open[i], side); });
  }
  std::vector<double> withins;
  for (const size_t i : aggregate.members) withins.push_back(known[i].within);
  row.within = median_of(withins) / std::sqrt(static_cast<double>(withins.size()));
  return row;
}

/// Here decides what the rows of a start have in common, so starts must have been repeated, and
/// twice: with one repetition 2 % of simulated comparisons of the same build were called slower.
bool tells(const SpreadRow& aggregate) {
  const double base = count_of(aggregate.times.base), fresh = count_of(aggregate.times.fresh);
  return base >= 1 && fresh >= 1 && base + fresh >= 4;
}

std::vector<Evidence> judge_aggregates(const std::vector<OpenRow>& open,
                                       const std::vector<SpreadRow>& known,
                                       Comparison& comparison) {
  const size_t first = comparison.rows.size();
  std::vector<SpreadRow> rows;
  const auto may_join = [](const OpenRow& row) { return !stands_alone(row); };
  for (Aggregate& each : aggregates_of(open, may_join, comparison)) {
    SpreadRow row = spread_row(each, open, known);
    if (!tells(row)) continue;
    each.row.base_starts = static_cast<int64_t>(count_of(row.times.base));
    each.row.fresh_starts = static_cast<int64_t>(count_of(row.times.fresh));
    comparison.rows.push_back(std::move(each.row));
    rows.push_back(std::move(row));
  }
  const Spread spread = spread_of(rows);
  std::vector<Evidence> family;
  for (size_t i = 0; i < rows.size(); ++i) {
    family.push_back(evidence_of(spread.rows[i], comparison.rows[first + i]));
  }
  return family;
}

StartReports pointers_to(std::span<const Report> reports) {
  StartReports starts;
  for (const Report& report : reports) starts.push_back(&report);
  return starts;
}

}  // namespace

Comparison compare(std::span<const Report> base, std::span<const Report> fresh,
                   const CompareRules& rules) {
  Comparison comparison;
  std::vector<OpenRow> open =
      open_rows(pointers_to(base), pointers_to(fresh), rules, sift, comparison);
  comparison.rows.reserve(comparison.rows.size() + 2 * open.size());  // evidence points to rows
  std::vector<SpreadRow> known;
  const std::vector<Evidence> rows = judge_rows(open, comparison, known);
  judge_both(rows, judge_aggregates(open, known, comparison), rules.level);
  return comparison;
}

}  // namespace arb
