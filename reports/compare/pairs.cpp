// Pairs of starts, one right after the other: what drifts hits both, so only what differs within
// pairs counts. Judged by signs and ranks, for the tails between starts are heavy.
#include <fmt/format.h>

#include <cmath>

#include "reports/compare/compare.hpp"
#include "reports/compare/prior.hpp"
#include "reports/compare/ranks.hpp"
#include "reports/compare/rows.hpp"
#include "reports/text.hpp"

namespace arb {
namespace {

using Ratios = std::vector<std::optional<double>>;  // log, by pair

Ratios ratios_of(const StartTimes& times) {
  Ratios ratios(times.base.size());
  for (size_t i = 0; i < ratios.size(); ++i) {
    if (times.base[i] && times.fresh[i]) ratios[i] = *times.fresh[i] - *times.base[i];
  }
  return ratios;
}

std::vector<double> there(const Ratios& ratios) {
  std::vector<double> values;
  for (const auto& ratio : ratios) {
    if (ratio) values.push_back(*ratio);
  }
  return values;
}

Evidence evidence_of(const Ratios& ratios, CompareRow& row) {
  const WalshAverages averages(there(ratios));
  row.base_starts = row.fresh_starts = averages.pairs();
  return {&row, averages.median(), [averages](double limit) { return averages.p_above(limit); },
          [averages](double tail) { return averages.interval(tail); }, averages.pairs()};
}

/// Of all pairs together, each in units of its baseline, so that drift between pairs is no scatter.
std::optional<double> rank_sum(const OpenRow& row, double limit) {
  std::vector<double> base, fresh;
  for (size_t i = 0; i < row.starts.base.size(); ++i) {
    if (row.starts.base[i] == nullptr || row.starts.fresh[i] == nullptr) continue;
    const TimeStats &old = *row.starts.base[i]->time, &now = *row.starts.fresh[i]->time;
    for (const double sample : old.samples) base.push_back(sample / old.median * limit);
    for (const double sample : now.samples) fresh.push_back(sample / old.median);
  }
  return rank_sum_p(base, fresh);
}

}  // namespace

Comparison compare_pairs(std::span<const ReportPair> pairs, const CompareRules& rules) {
  StartReports base, fresh;
  for (const ReportPair& pair : pairs) {
    base.push_back(&pair.base);
    fresh.push_back(&pair.fresh);
  }
  Comparison comparison;
  const std::vector<OpenRow> open = open_rows(base, fresh, rules, sift_pairs, comparison);
  comparison.rows.reserve(comparison.rows.size() + 2 * open.size());  // evidence points to rows
  std::vector<Ratios> ratios;
  std::vector<Evidence> rows, aggregates;
  std::vector<double> scatter;
  for (const OpenRow& each : open) {
    CompareRow& row = comparison.rows[each.index];
    ratios.push_back(ratios_of(each.times));
    row.rank_sum_p = rank_sum(each, *row.limit);
    rows.push_back(evidence_of(ratios.back(), row));
    scatter.push_back(std::sqrt(scatter_variance(there(ratios.back()))));
  }
  for (Aggregate& each : aggregates_of(
           open, [](const OpenRow&) { return true; }, comparison)) {
    const Ratios together = medians_over(each, [&](size_t i) { return ratios[i]; });
    if (there(together).empty()) continue;
    comparison.rows.push_back(std::move(each.row));
    aggregates.push_back(evidence_of(together, comparison.rows.back()));
  }
  judge_both(rows, aggregates, rules.level);
  if (!scatter.empty()) comparison.spread = median_of(scatter);
  comparison.spread_from = "how much the ratio differs between " +
                           counted(static_cast<long long>(pairs.size()), "pair") + " of starts";
  return comparison;
}

}  // namespace arb
