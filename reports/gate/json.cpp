#include <cmath>

#include "reports/gate/text.hpp"
#include "reports/json_text.hpp"
#include "reports/text.hpp"

namespace arb {
namespace {

constexpr int kGateSchemaVersion = 1;

using Json = nlohmann::ordered_json;

Json texts(const std::vector<std::string>& lines) {
  Json list = Json::array();
  for (const std::string& line : lines) list.push_back(valid_utf8(line));
  return list;
}

Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

Json maybe(const std::string& text) { return text.empty() ? Json() : Json(valid_utf8(text)); }

Json row_json(const Gate& gate, const GateRow& row) {
  Json values = Json::object();
  for (const GateValue& value : row.values) {
    values[valid_utf8(value.name)] = {{"value", number(value.value)}, {"unit", maybe(value.unit)}};
  }
  return {{"group", valid_utf8(row.group)},
          {"name", valid_utf8(row.name)},
          {"result", name(row.result)},
          {"fails", fails(gate, row)},
          {"verdict", valid_utf8(row.verdict)},
          {"why", maybe(row.why)},
          {"seconds", row.seconds > 0 ? number(row.seconds) : Json()},
          {"values", values}};
}

std::string_view result(int code) { return code == 0 ? "pass" : code == 1 ? "fail" : "wrong"; }

}  // namespace

std::string write_gate_json(const Gate& gate) {
  const int code = exit_code(gate);
  Json rows = Json::array();
  for (const GateRow& row : gate.rows) rows.push_back(row_json(gate, row));
  const Json document = {{"schema_version", kGateSchemaVersion},
                         {"tool", {{"version", valid_utf8(gate.version)}}},
                         {"started", valid_utf8(gate.started)},
                         {"command", texts(gate.command)},
                         {"name", valid_utf8(gate.name)},
                         {"result", result(code)},
                         {"exit_code", code},
                         {"complete", gate.complete},
                         {"unsure_fails", gate.unsure_fails},
                         {"context", texts(gate.context)},
                         {"warnings", texts(gate.warnings)},
                         {"findings", texts(answer(gate))},
                         {"rows", rows}};
  return json_text(document) + "\n";
}

}  // namespace arb
