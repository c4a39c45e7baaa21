// Strict reading of JSON documents: every message names the place. Only for the readers of reports,
// profiles and configurations.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace arb {

/// A value of the document and the way to it, for messages.
struct JsonNode {
  const nlohmann::json& json;
  std::string path;
  std::string document;  // what it is, in messages about the whole: "report"

  [[noreturn]] void fail(const std::string& message) const {
    throw std::invalid_argument(fmt::format("{}: {}", path.empty() ? document : path, message));
  }
  void expect(bool right, std::string_view wanted) const {
    if (!right) fail(fmt::format("expected {}, found {}", wanted, found()));
  }
  std::string found() const {
    if (json.is_null()) return "null";
    if (json.is_structured()) return json.is_array() ? "a list" : "an object";
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  JsonNode field(const std::string& name) const {
    JsonNode child{json.contains(name) ? json.at(name) : json,
                   path.empty() ? name : path + "." + name, document};
    if (!json.contains(name)) child.fail("this field is missing");
    return child;
  }
  JsonNode item(size_t index) const {
    return {json.at(index), fmt::format("{}[{}]", path, index), document};
  }
};

/// Throws std::invalid_argument for text that is not JSON, and for an object with a doubled key.
nlohmann::json parse_strictly(std::string_view text, const std::string& document);

}  // namespace arb
