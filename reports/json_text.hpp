// How our JSON documents look. Only for their writers.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace arb {

/// On one line where it fits, else one item per line; a list of numbers or texts is always one
/// line. Texts must be valid UTF-8, numbers finite. No final line end.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace arb
