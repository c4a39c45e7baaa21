#include "bench/plan_text.hpp"

#include <nlohmann/json.hpp>

namespace arb {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Case, ranks, requested_bytes, bytes, count, in_place,
                                   needed_bytes, skip)

std::string cases_to_text(const std::vector<Case>& cases) { return nlohmann::json(cases).dump(); }

std::vector<Case> cases_from_text(const std::string& text) {
  return nlohmann::json::parse(text).get<std::vector<Case>>();
}

}  // namespace arb
