#include "reports/gate/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

long long count(const Gate& gate, GateResult result) {
  return std::count_if(gate.rows.begin(), gate.rows.end(),
                       [result](const GateRow& row) { return row.result == result; });
}

}  // namespace

std::string_view outcome(const Gate& gate) {
  switch (exit_code(gate)) {
    case 0:
      return "PASS";
    case 1:
      return "FAIL";
    default:
      return "WRONG DATA";
  }
}

std::string headline(const Gate& gate) {
  const long long failed = count(gate, GateResult::kFail), wrong = count(gate, GateResult::kWrong),
                  unsure = count(gate, GateResult::kUnsure),
                  judged = count(gate, GateResult::kPass) + failed + wrong + unsure,
                  rest = std::ssize(gate.rows) - judged;
  std::vector<std::string> parts;
  if (wrong > 0) parts.push_back(fmt::format("{} with wrong data", wrong));
  if (failed > 0) parts.push_back(fmt::format("{} failed", failed));
  if (unsure > 0) {
    parts.push_back(fmt::format("{} cannot be told{}", unsure,
                                gate.unsure_fails ? " (which fails, as asked)" : ""));
  }
  const std::string of = parts.empty() ? "all right" : fmt::format("{}", fmt::join(parts, ", "));
  return fmt::format("{}: of {} judged, {}{}.", outcome(gate), counted(judged, "row"), of,
                     rest > 0 ? fmt::format("; {} not judged", rest) : "");
}

std::vector<std::string> answer(const Gate& gate) {
  std::vector<std::string> lines = gate.findings;
  if (lines.empty() || !lines.front().starts_with(outcome(gate))) {
    lines.insert(lines.begin(), headline(gate));
  }
  if (!gate.complete) lines.emplace_back("Not complete: it was cut before all was judged.");
  return lines;
}

bool fails(const Gate& gate, const GateRow& row) {
  return row.result == GateResult::kFail || row.result == GateResult::kWrong ||
         (row.result == GateResult::kUnsure && gate.unsure_fails);
}

std::string value_text(const GateValue& value) {
  if (!value.value || !std::isfinite(*value.value)) return "-";
  const double number = *value.value;
  if (value.unit == "s") return about_time(number);
  if (value.unit == "GB/s") return about_bandwidth(number * 1e9);
  if (value.unit == "B") return about_size(number);
  if (number == std::round(number) && std::abs(number) < 1e15) {
    return fmt::format("{:.0f}{}{}", number, value.unit.empty() ? "" : " ", value.unit);
  }
  return significant(number) + (value.unit.empty() ? "" : " ") + value.unit;
}

std::string value_title(const GateValue& value) {
  std::string title = value.name;
  for (const std::string_view suffix : {"_s", "_gbps", "_bytes", "_percent"}) {
    if (!value.unit.empty() && title.ends_with(suffix)) title.erase(title.size() - suffix.size());
  }
  std::replace(title.begin(), title.end(), '_', ' ');
  return printable(title);
}

}  // namespace arb
