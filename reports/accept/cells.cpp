#include "reports/accept/cells.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/accept/robust.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

bool has_time(const Record& record) {
  return record.time && record.time->n > 0 && record.time->median > 0 &&
         (record.status == Status::kOk || record.status == Status::kWrong);
}

Cell cell_of(const Record& record) {
  return {record.time->median, record.busbw_gbps, spread_of(*record.time), record.algorithm, 1};
}

/// One result: every case, and the fastest algorithm of each.
std::map<CaseKey, Cell> cells_of(const GroupResult& result) {
  std::map<CaseKey, Cell> cells;
  for (const Record& record : result.records) {
    if (!has_time(record)) continue;
    CaseKey key{record.bytes, record.algorithm, record.ranks, kind_of(record)};
    cells.insert_or_assign(key, cell_of(record));
    key.algorithm.clear();
    const auto [fastest, fresh] = cells.try_emplace(key, cell_of(record));
    if (!fresh && record.time->median < fastest->second.seconds) fastest->second = cell_of(record);
  }
  return cells;
}

/// The best of its measurements counts: a machine can be disturbed for a while, but never helped.
/// In a soak the disturbances are what is looked for.
Cell together(std::vector<Cell> cells, Stage stage) {
  std::sort(cells.begin(), cells.end(),
            [](const Cell& a, const Cell& b) { return a.seconds < b.seconds; });
  Cell cell = cells[stage == Stage::kSoak ? (cells.size() - 1) / 2 : 0];
  std::vector<double> spreads;
  for (const Cell& each : cells) {
    if (each.spread) spreads.push_back(*each.spread);
  }
  if (!spreads.empty()) {
    cell.spread = stage == Stage::kSoak ? lower_median(spreads)
                                        : *std::min_element(spreads.begin(), spreads.end());
  }
  cell.measured = static_cast<int>(cells.size());
  return cell;
}

std::string error_of(const GroupResult& result) {
  if (!result.error.empty()) return result.error;
  for (const Record& record : result.records) {
    if (record.status != Status::kTimeout) continue;
    return fmt::format("time limit in {} {}: {}", record.algorithm, exact_size(record.bytes),
                       record.reason);
  }
  return "";
}

void finish(MeasuredGroup& subject) {
  std::map<CaseKey, std::vector<Cell>> all;
  bool measured = false;
  for (const GroupResult* result : subject.results) {
    for (const auto& [key, cell] : cells_of(*result)) all[key].push_back(cell);
    const std::string error = error_of(*result);
    measured = measured || error.empty();
    if (!error.empty()) subject.error = error;
    if (!result->copy_limit_gbps) continue;
    subject.copy_limit = std::max(subject.copy_limit.value_or(0), *result->copy_limit_gbps);
    ++subject.copies;
  }
  if (measured) subject.error.clear();
  for (auto& [key, cells] : all) {
    subject.cells.emplace(key, together(std::move(cells), subject.stage));
  }
}

}  // namespace

std::vector<MeasuredGroup> subjects_of(const Fleet& fleet) {
  std::vector<MeasuredGroup> subjects;
  std::map<std::pair<Stage, std::vector<int>>, size_t> known;
  for (const GroupResult& result : fleet.results) {
    const auto [at, fresh] = known.try_emplace({result.stage, result.units}, subjects.size());
    if (fresh) {
      auto& subject = subjects.emplace_back();
      subject.stage = result.stage;
      subject.round = result.round;
      subject.units = result.units;
    }
    MeasuredGroup& subject = subjects[at->second];
    subject.round = std::min(subject.round, result.round);
    subject.results.push_back(&result);
  }
  for (MeasuredGroup& subject : subjects) finish(subject);
  return subjects;
}

int unit_of_rank(const Fleet& fleet, const std::vector<int>& units, int64_t rank) {
  for (const int unit : units) {
    const auto size = static_cast<int64_t>(fleet.units.at(static_cast<size_t>(unit)).ranks.size());
    if (rank >= 0 && rank < size) return unit;
    rank -= size;
  }
  return -1;
}

std::string units_text(const Fleet& fleet, const std::vector<int>& units) {
  const auto name = [&](int unit) { return fleet.units.at(static_cast<size_t>(unit)).name; };
  const bool run =
      !units.empty() && static_cast<size_t>(units.back() - units.front()) + 1 == units.size();
  if (units.size() > 3 && run) return name(units.front()) + " .. " + name(units.back());
  std::string text;
  for (const int unit : units) text += (text.empty() ? "" : " + ") + name(unit);
  return text;
}

std::string case_text(const CaseKey& key, bool kinds) {
  std::string text = fmt::format("{} {}", key.algorithm.empty() ? "fastest" : key.algorithm,
                                 exact_size(key.bytes));
  if (kinds) text += ", " + key.kind;
  return text;
}

std::optional<double> spread_of(const TimeStats& time) {
  if (!(time.median > 0)) return std::nullopt;
  if (time.p95) return *time.p95 / time.median - 1;
  if (time.ci95) return (time.ci95->second - time.ci95->first) / 2 / time.median;
  return std::nullopt;
}

std::string kind_of(const Record& record) {
  std::string kind = fmt::format("{}, {}{}", record.collective, record.dtype,
                                 record.op.empty() ? "" : " " + record.op);
  kind += record.in_place ? ", in place" : ", out of place";
  if (!record.cache.empty()) kind += ", " + record.cache;
  if (record.unalign != 0) kind += fmt::format(", off by {}", record.unalign);
  return kind;
}

}  // namespace arb
