#include "reports/json_node.hpp"

#include <set>
#include <vector>

namespace arb {

using Json = nlohmann::json;

Json parse_strictly(std::string_view text, const std::string& document) {
  std::vector<std::set<std::string>> open;  // keys of the objects around the current place
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key &&
        !open.back().insert(parsed.get<std::string>()).second) {
      throw std::invalid_argument(
          fmt::format("{}: the field {} occurs twice", document, parsed.dump()));
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    throw std::invalid_argument(
        fmt::format("{}: not valid JSON (is the file whole?): {}", document, error.what()));
  }
}

}  // namespace arb
