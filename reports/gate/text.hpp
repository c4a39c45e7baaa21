// What all writers of a gate say in the same words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/gate/gate.hpp"

namespace arb {

/// "PASS", "FAIL" or "WRONG DATA", after exit_code().
std::string_view outcome(const Gate& gate);

/// "FAIL: 2 of 40 rows fail, 1 cannot be told, 3 not judged."
std::string headline(const Gate& gate);

/// The findings, behind the headline unless they begin with the outcome; says if the gate was cut.
std::vector<std::string> answer(const Gate& gate);

/// Is this row a failure of the gate? What cannot be told is one if the gate says so.
bool fails(const Gate& gate, const GateRow& row);

/// "12.3 us", "8.40 GB/s", "5.00 %", "1.21"; "-" for a missing one.
std::string value_text(const GateValue& value);

/// "base_median_s" -> "base median": the unit stands with the number.
std::string value_title(const GateValue& value);

}  // namespace arb
