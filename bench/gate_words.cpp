#include "bench/gate_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "bench/help.hpp"
#include "bench/option_table.hpp"
#include "reports/blocks.hpp"
#include "reports/units.hpp"

namespace arb {

namespace {

/// Of the sweep's own options: where its results go, which is the gate's business.
constexpr std::string_view kOutputs[] = {"--output", "--format", "--raw", "--no-progress",
                                         "--timeout"};

std::vector<OptionRow> dropped() {
  std::vector<OptionRow> rows(compare_options().begin(), compare_options().end());
  for (const OptionRow& row : sweep_options()) {
    const auto names = names_of(row);
    const bool output = std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return std::find(std::begin(kOutputs), std::end(kOutputs), name) != std::end(kOutputs);
    });
    if (output) rows.push_back(row);
  }
  return rows;
}

enum class Taken { kNo, kWord, kWordAndNext };

/// Is this word the option, alone or with its value?
Taken taken(const std::string& word, const OptionRow& row) {
  for (const std::string& name : names_of(row)) {
    if (word == name) return row.value == nullptr ? Taken::kWord : Taken::kWordAndNext;
    const bool is_long = name.starts_with("--");
    const bool glued =
        is_long ? word.starts_with(name + "=")
                : row.value != nullptr && word.starts_with(name) && !word.starts_with("--");
    if (glued) return Taken::kWord;
  }
  return Taken::kNo;
}

auto identity(const CompareRow& row) {
  return std::make_tuple(block_key(&row.key), row.key.algorithm, row.key.protocol, row.key.bytes,
                         row.cases > 1);
}

}  // namespace

std::vector<std::string> sweep_words(const std::vector<std::string>& command) {
  static const std::vector<OptionRow> kDropped = dropped();
  std::vector<std::string> words;
  for (size_t i = 1; i < command.size(); ++i) {
    if (i == 1 && command[i] == verb_table().front().name) continue;
    Taken how = Taken::kNo;
    for (const OptionRow& row : kDropped) {
      how = taken(command[i], row);
      if (how != Taken::kNo) break;
    }
    if (how == Taken::kNo) words.push_back(command[i]);
    if (how == Taken::kWordAndNext) ++i;
  }
  return words;
}

std::vector<std::string> Again::words() const {
  return {"--ranks", fmt::format("{}", fmt::join(ranks, ",")), "--sizes",
          fmt::format("{}", fmt::join(sizes, ","))};
}

std::string Again::text() const {
  std::vector<std::string> texts;
  for (const int64_t bytes : sizes) texts.push_back(exact_size(bytes));
  return fmt::format("{} at {} ranks", fmt::join(texts, ", "), fmt::join(ranks, ", "));
}

Again suspicious_cases(const Comparison& comparison) {
  Again again;
  for (const CompareRow& row : comparison.rows) {
    if (!suspicious(row)) continue;
    for (const CompareRow& each : comparison.rows) {
      const bool of_algorithm =  // none: all algorithms together
          row.key.algorithm.empty() || each.key.algorithm == row.key.algorithm;
      const bool member = block_key(&each.key) == block_key(&row.key) && of_algorithm &&
                          each.cases == 1 && each.limit &&
                          (row.cases > 1 || each.key.bytes == row.key.bytes);
      if (!member) continue;
      again.ranks.insert(each.key.ranks);
      again.sizes.insert(each.key.requested_bytes);
    }
  }
  return again;
}

Report only(const Report& report, const Again& again) {
  Report part = report;
  std::erase_if(part.records, [&](const Record& record) { return !again.has(record); });
  return part;
}

Comparison confirmed(Comparison first, const Comparison& second) {
  for (CompareRow& row : first.rows) {
    const auto found =
        std::find_if(second.rows.begin(), second.rows.end(),
                     [&](const CompareRow& each) { return identity(each) == identity(row); });
    if (found == second.rows.end()) {
      if (row.change != Change::kSlower) continue;
      row.change = Change::kCannotTell;
      row.why += "; not confirmed: too few of the fresh starts tell";
    } else if (suspicious(row) || found->change == Change::kWrong) {
      row = *found;
    }
  }
  for (const std::string& warning : second.warnings) {
    if (std::find(first.warnings.begin(), first.warnings.end(), warning) == first.warnings.end()) {
      first.warnings.push_back(warning);
    }
  }
  return first;
}

}  // namespace arb
