#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "reports/blocks.hpp"
#include "reports/gate/text.hpp"
#include "reports/text.hpp"

namespace arb {
namespace {

constexpr size_t kWidth = 120;
constexpr size_t kFewRows = 40;  // of so many, all are shown
constexpr size_t kMark = 7;

using Rows = std::vector<const GateRow*>;

struct Column {
  std::string name;   // of the value
  std::string title;  // for people
  size_t width = 0;
};

/// As wide as what is in them, over all groups, so that groups stand one below the other.
struct Layout {
  size_t name = 4, verdict = 7;
  std::vector<Column> values;  // as many as fit
};

const GateValue* find(const GateRow& row, const std::string& name) {
  const auto found = std::find_if(row.values.begin(), row.values.end(),
                                  [&name](const GateValue& v) { return v.name == name; });
  return found == row.values.end() ? nullptr : &*found;
}

Layout layout_of(const Rows& rows) {
  Layout layout;
  for (const GateRow* row : rows) {
    layout.name = std::max(layout.name, columns(printable(row->name)));
    layout.verdict = std::max(layout.verdict, columns(printable(row->verdict)));
    for (const GateValue& value : row->values) {
      if (!value.value) continue;
      auto column = std::find_if(layout.values.begin(), layout.values.end(),
                                 [&value](const Column& each) { return each.name == value.name; });
      if (column == layout.values.end()) {
        const std::string title = value_title(value);
        column = layout.values.insert(column, {value.name, title, columns(title)});
      }
      column->width = std::max(column->width, columns(printable(value_text(value))));
    }
  }
  size_t used = kMark + layout.name + 2 + layout.verdict;
  size_t fitting = 0;
  for (const Column& column : layout.values) {
    used += 2 + column.width;
    if (used > kWidth) break;
    ++fitting;
  }
  layout.values.resize(fitting);
  return layout;
}

std::string_view mark(const Gate& gate, const GateRow& row) {
  switch (row.result) {
    case GateResult::kWrong:
      return "WRONG";
    case GateResult::kFail:
      return "FAIL";
    case GateResult::kUnsure:
      return gate.unsure_fails ? "FAIL ?" : "?";
    case GateResult::kNews:
      return "new";
    case GateResult::kSkipped:
      return "-";
    case GateResult::kPass:
      break;
  }
  return "ok";
}

std::string heading(const Layout& layout) {
  std::string text =
      std::string(kMark, ' ') + left("case", layout.name) + "  " + left("verdict", layout.verdict);
  for (const Column& column : layout.values) text += "  " + right(column.title, column.width);
  return trimmed(text) + "\n";
}

/// `told`: the next row has the same reason, which is said there.
std::string line(const Gate& gate, const GateRow& row, const Layout& layout, bool told) {
  std::string text = left(mark(gate, row), kMark) + left(printable(row.name), layout.name) + "  " +
                     left(printable(row.verdict), layout.verdict);
  for (const Column& column : layout.values) {
    const GateValue* value = find(row, column.name);
    text += "  " + right(value == nullptr ? "-" : printable(value_text(*value)), column.width);
  }
  const std::string why = printable(row.why);
  if (why.empty() || told) return trimmed(text) + "\n";
  if (columns(text) + 2 + columns(why) <= kWidth) return trimmed(text + "  " + why) + "\n";
  if (row.result == GateResult::kPass) return trimmed(text) + "\n";  // the numbers say it
  return trimmed(text) + "\n" + std::string(kMark, ' ') +
         wrapped("`- " + why, kWidth, kMark + 3, kMark) + "\n";
}

/// What is not shown, by verdict: "31 same, 2 faster".
std::string counted_text(const Rows& rows) {
  std::string text;
  for (const auto& [verdict, same] : grouped(rows, [](const GateRow* r) { return r->verdict; })) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", same.size(), printable(verdict));
  }
  return text;
}

std::string sentence(const std::string& text) { return wrapped(printable(text), kWidth, 2) + "\n"; }

}  // namespace

std::string write_gate_table(const Gate& gate) {
  Rows rows, shown;
  for (const GateRow& row : gate.rows) rows.push_back(&row);
  const bool few = rows.size() <= kFewRows;
  const auto is_shown = [few, &gate](const GateRow* row) {
    return few || row->result == GateResult::kUnsure || fails(gate, *row);
  };
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(shown), is_shown);
  const Layout layout = layout_of(shown);

  std::string out = sentence(fmt::format("allreduce-bench {}, {}", gate.version, gate.name));
  for (const std::string& each : gate.context) out += sentence(each);
  for (const auto& [group, of_group] : grouped(rows, [](const GateRow* r) { return r->group; })) {
    out += "\n" + sentence(group);
    if (std::any_of(of_group.begin(), of_group.end(), is_shown)) out += heading(layout);
    Rows visible, hidden;
    std::partition_copy(of_group.begin(), of_group.end(), std::back_inserter(visible),
                        std::back_inserter(hidden), is_shown);
    for (size_t i = 0; i < visible.size(); ++i) {
      const bool told = i + 1 < visible.size() && visible[i]->why == visible[i + 1]->why;
      out += line(gate, *visible[i], layout, told);
    }
    if (!hidden.empty()) {
      out += std::string(kMark, ' ') +
             wrapped(fmt::format("not shown: {}", counted_text(hidden)), kWidth, kMark, kMark) +
             "\n";
    }
  }
  if (!gate.warnings.empty()) out += "\n";
  for (const std::string& each : gate.warnings) out += sentence("Warning: " + each);
  out += "\n";
  for (const std::string& each : answer(gate)) out += sentence(each);
  return out;
}

}  // namespace arb
