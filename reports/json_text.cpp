#include "reports/json_text.hpp"

#include <fmt/format.h>

#include "reports/units.hpp"

namespace arb {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLineColumns = 120;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out += '"';
}

std::string scalar(const Json& json) {
  if (json.is_string()) return quoted(json.get_ref<const std::string&>());
  if (json.is_number_float()) return shortest(json.get<double>());
  return json.dump();
}

std::string layout(const Json& json, size_t indent) {
  if (!json.is_structured()) return scalar(json);
  bool flat = json.is_array();
  size_t length = indent + 2;
  std::vector<std::string> items;
  for (const auto& [key, item] : json.items()) {
    items.push_back((json.is_object() ? quoted(key) + ": " : "") + layout(item, indent + 2));
    flat = flat && !item.is_structured();
    length += items.back().size() + 2;
    if (items.back().find('\n') != std::string::npos) length = kLineColumns + 1;
  }
  const bool one_line = flat || length <= kLineColumns;
  const std::string line_break = one_line ? "" : "\n" + std::string(indent + 2, ' ');
  const std::string separator = one_line ? ", " : "," + line_break;
  return fmt::format("{}{}{}{}{}", json.is_object() ? '{' : '[', line_break,
                     fmt::join(items, separator), one_line ? "" : "\n" + std::string(indent, ' '),
                     json.is_object() ? '}' : ']');
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& json) { return layout(json, 0); }

}  // namespace arb
