// The report as one JSON document (configs/schema/report.schema.json), and back.
#pragma once

#include <string>
#include <string_view>

#include "reports/record.hpp"

namespace arb {

/// Valid UTF-8 and valid JSON whatever the report holds: bytes that are no UTF-8 become U+FFFD,
/// numbers that are not finite become null. Doubles are written with the fewest digits that read
/// back as the same number.
std::string write_json(const Report& report);

/// Strict: unknown, missing, doubled and mistyped fields and other schema versions throw
/// std::invalid_argument, whose message names the field ("records[3].time_s.median: ...").
Report read_json(std::string_view text);

/// "ok", "wrong", "skipped", "timeout".
std::string_view name(Status status);

}  // namespace arb
