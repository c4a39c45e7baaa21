#include "reports/compare/judge.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reports/compare/family.hpp"
#include "reports/compare/ranks.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

constexpr double kRounding = 1e-9;  // what is exactly at the limit is not beyond it
constexpr double kRankSumLevel = 0.01;
// "Same" is no alarm, so it needs no correction for the number of rows.
constexpr double kSameTail = 0.05;

std::string end_text(double ratio) {
  return ratio > 0 && std::isfinite(ratio) ? ratio_text(ratio) : "-";
}

std::string allowed_text(const CompareRow& row) {
  return fmt::format("allowed {} ({} less bandwidth)", ratio_text(*row.limit),
                     percent(1 - 1 / *row.limit));
}

std::string measured_text(const CompareRow& row) {
  return fmt::format("{}x the time [{}, {}], {}", ratio_text(*row.ratio),
                     end_text(row.interval->first), end_text(row.interval->second),
                     allowed_text(row));
}

/// `tail`: the level at which it could be called slower.
std::string unsure_text(const CompareRow& row, int64_t pairs, double tail) {
  if (pairs > 0 && pairs < pairs_needed(kSameTail)) {
    return fmt::format("only {} in one state of the machine, at least {} are needed",
                       counted(pairs, "pair"), pairs_needed(kSameTail));
  }
  if (pairs > 0 && pairs < pairs_needed(tail) && *row.ratio > *row.limit) {
    return fmt::format("to be called slower at least {} are needed, {} count",
                       counted(pairs_needed(tail), "pair"), pairs);
  }
  return "the interval reaches over the limit; more starts would tell";
}

void settle(CompareRow& row, double low, double high, const Evidence& evidence, double tail) {
  const double limit = std::log(*row.limit);
  row.why = measured_text(row);
  if (low > limit + kRounding) {
    row.change = Change::kSlower;
    if (row.rank_sum_p && *row.rank_sum_p >= kRankSumLevel) {
      row.change = Change::kCannotTell;
      row.why += fmt::format("; but the samples do not show it (rank-sum p = {})",
                             significant(*row.rank_sum_p));
    }
  } else if (high < -limit - kRounding) {
    row.change = Change::kFaster;
  } else if (std::log(*row.at_most) <= limit + kRounding) {
    row.change = Change::kSame;
    row.why = fmt::format("{}x the time, at most {}x, {}", ratio_text(*row.ratio),
                          ratio_text(*row.at_most), allowed_text(row));
  } else {
    row.change = Change::kCannotTell;
    row.why = unsure_text(row, evidence.pairs, tail);
  }
}

}  // namespace

void judge(const std::vector<Evidence>& family, double level) {
  std::vector<double> p;
  p.reserve(family.size());
  for (const Evidence& each : family) p.push_back(each.p_above(std::log(*each.row->limit)));
  const std::vector<double> tails = holm(p, level);
  for (size_t i = 0; i < family.size(); ++i) {
    CompareRow& row = *family[i].row;
    const auto [low, high] = family[i].interval(tails[i]);
    row.ratio = std::exp(family[i].estimate);
    row.interval = {std::exp(low), std::exp(high)};
    row.at_most = std::exp(family[i].interval(kSameTail).second);
    settle(row, low, high, family[i], tails[i]);
  }
}

double allowed_drop(const CompareRules& rules, int64_t bytes) {
  for (const DropClass& each : rules.max_drop) {
    if (!each.max_bytes || bytes <= *each.max_bytes) return each.drop;
  }
  return rules.max_drop.back().drop;
}

double time_limit(double drop) { return 1 / (1 - drop); }

std::string ratio_text(double ratio) {
  return ratio < 10 ? fmt::format("{:.3f}", ratio) : significant(ratio);
}

}  // namespace arb
