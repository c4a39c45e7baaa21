#include "reports/gate/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "reports/gate/text.hpp"

namespace arb {
namespace {

constexpr std::array kWriters = {
    GateWriter{"table", "for people: what failed and why, the answer last", write_gate_table},
    GateWriter{"json", "everything, for programs", write_gate_json},
    GateWriter{"junit", "one test case per row, for CI systems", write_gate_junit},
    GateWriter{"markdown", "for a pull request or a step summary", write_gate_markdown},
};

}  // namespace

int exit_code(const Gate& gate) {
  const auto any = [&gate](auto matches) {
    return std::any_of(gate.rows.begin(), gate.rows.end(), matches);
  };
  const auto is = [](GateResult wanted) {
    return [wanted](const GateRow& row) { return row.result == wanted; };
  };
  if (any(is(GateResult::kWrong))) return 3;
  if (any([&gate](const GateRow& row) { return fails(gate, row); })) return 1;
  if (any(is(GateResult::kPass)) || any(is(GateResult::kUnsure))) return 0;
  std::string message = gate.name + ": nothing was judged";
  if (!gate.rows.empty()) {
    const GateRow& row = gate.rows.front();
    message += fmt::format(": all rows are new or skipped, like '{}': {}", row.name, row.why);
  }
  throw std::invalid_argument(message);
}

std::string_view name(GateResult result) {
  switch (result) {
    case GateResult::kPass:
      return "pass";
    case GateResult::kFail:
      return "fail";
    case GateResult::kWrong:
      return "wrong";
    case GateResult::kUnsure:
      return "unsure";
    case GateResult::kNews:
      return "news";
    case GateResult::kSkipped:
      return "skipped";
  }
  return "skipped";
}

std::span<const GateWriter> gate_writers() { return kWriters; }

const GateWriter* gate_writer_named(std::string_view name) {
  const auto* const found = std::find_if(
      kWriters.begin(), kWriters.end(), [name](const auto& writer) { return writer.name == name; });
  return found == kWriters.end() ? nullptr : found;
}

}  // namespace arb
