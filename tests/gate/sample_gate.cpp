#include "tests/gate/sample_gate.hpp"

#include <cmath>
#include <limits>

namespace arb {

Gate sample_gate() {
  const std::string host = "host all-reduce, 4 ranks, float32 sum, out of place",
                    evil = "a<b> & \"c\" | `d` ]]> \x01\x1b[31m\xff \xEF\xBF\xBE \xC3\xA9";
  Gate gate;
  gate.name = "compare";
  gate.version = "0.5.0";
  gate.started = "2026-01-02T03:04:05Z";
  gate.command = {"allreduce-bench", "compare", "base.json", "new \"one\".json"};
  gate.context = {"base: base.json, version 0.4.0, started 2026-01-01T00:00:00Z",
                  "new: new \"one\".json | <tab>\there\r\nand a second line"};
  gate.warnings = {
      "only one start of each: the spread between starts is not known; give --baseline"
      " FILE for more"};
  gate.findings = {"WRONG DATA: ring of 1 MiB", "FAIL: 1 of 5 cases is slower"};
  gate.rows = {
      {host,
       "ring 64 KiB",
       GateResult::kFail,
       "slower",
       "1.21 times the old time, 1.11 at least; 1.053 is allowed",
       0.5,
       {{"ratio", 1.2125, ""}, {"base_median_s", 12.34e-6, "s"}, {"busbw_gbps", 8.4, "GB/s"}}},
      {host,
       "ring 1 MiB",
       GateResult::kWrong,
       "wrong data",
       "12345678 elements, first at index 42 of rank 1: wanted 3, got 2.5",
       0,
       {}},
      {host,
       "tree 64 KiB",
       GateResult::kUnsure,
       "cannot tell",
       "0.99 to 1.10 times the old time lies on both sides of the allowed 1.053; measure longer, or"
       " give --baseline FILE with more starts of the old build so that its spread is known",
       0.25,
       {{"ratio", 1.04, ""}, {"base_median_s", std::nullopt, "s"}}},
      {host, "tree 1 MiB", GateResult::kPass, "same", "", 0.125, {{"ratio", 1, ""}}},
      {evil,
       evil,
       GateResult::kFail,
       evil,
       evil + "\nsecond line",
       std::numeric_limits<double>::quiet_NaN(),
       {{evil, INFINITY, evil}}},
      {evil, "twin \x01", GateResult::kPass, "faster", "", 0, {{"drop", -12.5, "%"}}},
      {evil, "twin \x02", GateResult::kPass, "same", "", 0, {}},
      {host, "two-shot 64 KiB", GateResult::kNews, "new", "not in the baseline", 0, {}},
      {host, "two-shot 8 B", GateResult::kSkipped, "not judged", "smaller than 1 KiB", 0, {}},
  };
  return gate;
}

Gate passing_gate(int rows) {
  Gate gate;
  gate.name = "accept laptop";
  gate.version = "0.5.0";
  for (int i = 0; i < rows; ++i) {
    gate.rows.push_back({"core pairs",
                         "case " + std::to_string(i),
                         GateResult::kPass,
                         i % 3 == 0 ? "faster" : "same",
                         "",
                         0,
                         {}});
  }
  return gate;
}

}  // namespace arb
