#include "reports/markdown.hpp"

#include <fmt/format.h>

#include "reports/gate/text.hpp"
#include "reports/text.hpp"

namespace arb {
namespace {

std::string values_text(const GateRow& row) {
  std::string text;
  for (const GateValue& value : row.values) {
    if (!value.value) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", value_title(value), value_text(value));
  }
  return text;
}

std::string table(const std::vector<const GateRow*>& rows, const Gate& gate) {
  std::string out =
      "| group | case | verdict | why | values |\n"
      "|:-|:-|:-|:-|:-|\n";
  for (const GateRow* row : rows) {
    const std::string verdict = markdown_text(row->verdict);
    out +=
        fmt::format("| {} | {} | {} | {} | {} |\n", markdown_text(row->group),
                    markdown_text(row->name), fails(gate, *row) ? "**" + verdict + "**" : verdict,
                    markdown_text(row->why), markdown_text(values_text(*row)));
  }
  return out;
}

}  // namespace

std::string write_gate_markdown(const Gate& gate) {
  std::vector<const GateRow*> failed, others;
  for (const GateRow& row : gate.rows) (fails(gate, row) ? failed : others).push_back(&row);
  std::string out =
      fmt::format("### {}: {}\n\n", markdown_text("allreduce-bench " + gate.name), outcome(gate));
  for (const std::string& line : answer(gate)) out += fmt::format("- {}\n", markdown_text(line));
  if (!failed.empty()) out += "\n" + table(failed, gate);
  for (const std::string& warning : gate.warnings) {
    out += fmt::format("\n> Warning: {}\n", markdown_text(warning));
  }
  const char* const which = failed.empty() ? "All" : "The other";
  out += fmt::format("\n<details>\n<summary>{} rows ({})</summary>\n\n", which, others.size());
  if (!others.empty()) out += table(others, gate) + "\n";
  for (const std::string& line : gate.context) out += fmt::format("- {}\n", markdown_text(line));
  return out + fmt::format("- allreduce-bench {}{}\n\n</details>\n", markdown_text(gate.version),
                           gate.started.empty() ? "" : ", " + markdown_text(gate.started));
}

}  // namespace arb
