// A comparison as a gate: what to print, and what to fail for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/blocks.hpp"
#include "reports/compare/compare.hpp"
#include "reports/compare/judge.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

GateResult result_of(Change change) {
  switch (change) {
    case Change::kSame:
    case Change::kFaster:
      return GateResult::kPass;
    case Change::kSlower:
    case Change::kMissing:
      return GateResult::kFail;
    case Change::kCannotTell:
      return GateResult::kUnsure;
    case Change::kNews:
      return GateResult::kNews;
    case Change::kWrong:
      return GateResult::kWrong;
    case Change::kNotJudged:
      return GateResult::kSkipped;
  }
  return GateResult::kSkipped;
}

std::string row_name(const CompareRow& row, const Records& of_size) {
  if (row.cases == 1) {
    return fmt::format("{} {}", label(row.key, of_size), exact_size(row.key.bytes));
  }
  if (row.key.algorithm.empty()) return fmt::format("all algorithms, all {} rows", row.cases);
  return fmt::format("{}, all {} sizes", label(row.key, of_size), row.cases);
}

std::optional<double> busbw_gbps(const Record& key, std::optional<double> seconds) {
  const auto factor = bus_factor(key.collective, key.ranks);
  if (!seconds || key.bytes == 0 || !factor) return std::nullopt;
  return static_cast<double>(key.bytes) / *seconds * *factor / 1e9;
}

std::vector<GateValue> values_of(const CompareRow& row) {
  // An end that is not known is missing.
  const auto end = [](double ratio) {
    return ratio > 0 && std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
  };
  const auto low = row.interval ? end(row.interval->first) : std::nullopt;
  const auto high = row.interval ? end(row.interval->second) : std::nullopt;
  return {{"base_median_s", row.base_median, "s"},
          {"new_median_s", row.fresh_median, "s"},
          {"ratio", row.ratio, ""},
          {"ratio_low", low, ""},
          {"ratio_high", high, ""},
          {"at_most", row.at_most ? end(*row.at_most) : std::nullopt, ""},
          {"limit", row.limit, ""},
          {"base_busbw_gbps", busbw_gbps(row.key, row.base_median), "GB/s"},
          {"new_busbw_gbps", busbw_gbps(row.key, row.fresh_median), "GB/s"},
          {"rank_sum_p", row.rank_sum_p, ""},
          {"base_starts", static_cast<double>(row.base_starts), ""},
          {"new_starts", static_cast<double>(row.fresh_starts), ""}};
}

int64_t count(const Comparison& comparison, Change change) {
  return std::count_if(comparison.rows.begin(), comparison.rows.end(),
                       [change](const CompareRow& row) { return row.change == change; });
}

/// Above which others of the same verdict are less worth telling: how far beyond the limit for
/// sure.
double severity(const CompareRow& row) {
  return row.interval && row.limit ? row.interval->first / *row.limit : 0;
}

std::string finding(const Comparison& comparison, const std::vector<GateRow>& gate_rows,
                    Change change) {
  const int64_t found = count(comparison, change);
  if (found == 0) return "";
  size_t worst = comparison.rows.size();
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    if (comparison.rows[i].change != change) continue;
    if (worst == comparison.rows.size() ||
        severity(comparison.rows[i]) > severity(comparison.rows[worst])) {
      worst = i;
    }
  }
  const CompareRow& row = comparison.rows[worst];
  return fmt::format("{}: {} of {}; {}{} at {}: {}", name(change), found,
                     counted(static_cast<long long>(comparison.rows.size()), "row"),
                     change == Change::kSlower ? "worst " : "", gate_rows[worst].name,
                     counted(row.key.ranks, "rank"), row.why);
}

std::vector<std::string> findings(const Comparison& comparison,
                                  const std::vector<GateRow>& gate_rows) {
  std::vector<std::string> texts;
  for (const Change change : {Change::kWrong, Change::kSlower, Change::kMissing}) {
    std::string text = finding(comparison, gate_rows, change);
    if (!text.empty()) texts.push_back(std::move(text));
  }
  const int64_t unsure = count(comparison, Change::kCannotTell);
  const int64_t same = count(comparison, Change::kSame),
                faster = count(comparison, Change::kFaster);
  std::string rest = count(comparison, Change::kSlower) == 0 ? "no row is slower for sure; " : "";
  rest += fmt::format("{} the same, {} faster, {} cannot be told", same, faster, unsure);
  const bool told = same > 0 || faster > 0 || !texts.empty();
  if (!told && unsure > 0) rest += ": this comparison says nothing; --fail-unsure makes that fail";
  texts.push_back(std::move(rest));
  return texts;
}

std::vector<std::string> context(const Comparison& comparison, const CompareRules& rules) {
  std::vector<std::string> lines;
  std::string allowed = "allowed: ";
  for (const DropClass& each : rules.max_drop) {
    if (&each != &rules.max_drop.front()) allowed += "; ";
    allowed += fmt::format("{} less bandwidth, {}x the time", percent(each.drop),
                           ratio_text(time_limit(each.drop)));
    if (each.max_bytes) allowed += " up to " + exact_size(*each.max_bytes);
  }
  lines.push_back(allowed);
  lines.push_back(fmt::format("at most {} chance of any false \"slower\" in the whole comparison",
                              percent(rules.level)));
  if (comparison.spread) {
    lines.push_back(fmt::format("spread between starts of the program: typically {}, {}",
                                percent(*comparison.spread), comparison.spread_from));
  }
  return lines;
}

}  // namespace

Gate gate_of(const Comparison& comparison, const CompareRules& rules) {
  Gate gate;
  gate.name = "compare";
  gate.context = context(comparison, rules);
  gate.warnings = comparison.warnings;
  gate.unsure_fails = rules.unsure_fails;
  for (const CompareRow& row : comparison.rows) {
    Records alike;
    for (const CompareRow& other : comparison.rows) {
      const bool same = block_key(&other.key) == block_key(&row.key) && other.cases == row.cases &&
                        other.key.bytes == row.key.bytes;
      if (same || &other == &row) alike.push_back(&other.key);
    }
    gate.rows.push_back({.group = block_title(row.key),
                         .name = row_name(row, alike),
                         .result = result_of(row.change),
                         .verdict = std::string(name(row.change)),
                         .why = row.why,
                         .seconds = 0,
                         .values = values_of(row)});
  }
  gate.findings = findings(comparison, gate.rows);
  return gate;
}

}  // namespace arb
