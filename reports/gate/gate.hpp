// What a gate says: one row per thing that was judged, with its verdict and the reason. Both gates
// (compare, accept) end in this type; its writers are gate -> text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/record.hpp"

namespace arb {

enum class GateResult {
  kPass,
  kFail,    // the performance is not what it should be: exit 1
  kWrong,   // wrong data: exit 3
  kUnsure,  // cannot be told: passes unless asked otherwise
  kNews,    // nothing to judge it by
  kSkipped,
};

/// A number behind a verdict. Missing is nullopt, never 0.
struct GateValue {
  std::string name;  // "ratio", "base_median_s"; as it stands in JSON
  std::optional<double> value;
  std::string unit;  // "s", "GB/s", "%", ""
};

struct GateRow {
  std::string group;  // "host all-reduce, 4 ranks, float32 sum, out of place"; of JUnit: classname
  std::string name;   // "ring 64 KiB"; unique within its group
  GateResult result = GateResult::kPass;
  std::string verdict;  // one or two words: "same", "slower", "cannot tell", "FAIL n07"
  std::string why;      // a sentence with the numbers; empty if the verdict says it all
  double seconds = 0;   // that judging took measuring; 0: not known
  std::vector<GateValue> values;
};

struct Gate {
  std::string name;                   // "compare", "accept cpu-cluster-tcp"
  std::string version;                // of the program
  std::string started;                // RFC 3339, UTC
  std::vector<std::string> command;   // that judged
  std::vector<std::string> context;   // a line each: what was compared with what, and how
  std::vector<std::string> warnings;  // a sentence each, with its remedy
  std::vector<std::string> findings;  // the answer in words, most important first: "FAIL n07: ..."
  std::vector<GateRow> rows;
  bool complete = true;       // false: cut before all was judged
  bool unsure_fails = false;  // by option
};

/// 3 for wrong data, else 1 for a failure, else 0. Throws std::invalid_argument if nothing was
/// judged (no row passed, failed or was unsure).
int exit_code(const Gate& gate);

/// "pass", "fail", "wrong", "unsure", "news", "skipped".
std::string_view name(GateResult result);

struct GateWriter {
  std::string_view name;     // --format
  std::string_view summary;  // for --help
  std::string (*write)(const Gate& gate);
};
std::span<const GateWriter> gate_writers();
const GateWriter* gate_writer_named(std::string_view name);

/// For people, 120 columns: context, rows by group (what passed is counted, unless few), warnings,
/// findings.
std::string write_gate_table(const Gate& gate);
/// configs/schema/gate.schema.json.
std::string write_gate_json(const Gate& gate);
/// One test case per row; valid XML 1.0 whatever the texts hold.
std::string write_gate_junit(const Gate& gate);
/// For a pull request or a step summary.
std::string write_gate_markdown(const Gate& gate);

}  // namespace arb
