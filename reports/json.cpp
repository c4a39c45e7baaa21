#include "reports/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/fields.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLineColumns = 120;

/// One overload per kind of value; structs become objects by their field list.
struct Convert {
  static Json value(bool flag) { return flag; }
  static Json value(int64_t number) { return number; }
  static Json value(double number) { return std::isfinite(number) ? Json(number) : Json(); }
  static Json value(const std::string& text) { return valid_utf8(text); }
  static Json value(Status status) { return std::string(name(status)); }
  static Json value(const std::pair<double, double>& interval) {
    if (!std::isfinite(interval.first) || !std::isfinite(interval.second)) return {};
    return Json::array({interval.first, interval.second});
  }
  static Json value(const std::map<std::string, std::string>& map) {
    Json object = Json::object();
    for (const auto& [key, text] : map) object[valid_utf8(key)] = valid_utf8(text);
    return object;
  }
  static Json value(MaybeText<const std::string> maybe) {
    return maybe.text.empty() ? Json() : value(maybe.text);
  }
  static Json value(NewerText<const std::string> maybe) { return value(MaybeText{maybe.text}); }
  static Json value(MaybeCount<const int64_t> maybe) {
    return maybe.count == 0 ? Json() : value(maybe.count);
  }
  static Json value(MaybeSamples<const std::vector<double>> maybe) {
    return maybe.list.empty() ? Json() : value(maybe.list);
  }
  template <class T>
  static Json value(Newer<T> newer) {
    return value(newer.value);
  }
  template <class T>
  static Json value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : Json();
  }
  template <class T>
  static Json value(const std::vector<T>& list) {
    Json array = Json::array();
    for (const T& item : list) array.push_back(value(item));
    return array;
  }
  template <HasFields T>
  static Json value(const T& object) {
    Json result = Json::object();
    const auto visit = [&result](const char* name, const auto& field) {
      result[name] = value(field);
    };
    fields(visit, object);
    return result;
  }
};

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

/// On one line where it fits, else one item per line; a list of numbers or texts is always one
/// line.
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

std::string write_json(const Report& report) {
  Json document = {{"schema_version", kSchemaVersion}};
  const auto visit = [&document](const char* name, const auto& field) {
    document[name] = Convert::value(field);
  };
  fields(visit, report);
  return layout(document, 0) + "\n";
}

std::string_view name(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kWrong:
      return "wrong";
    case Status::kSkipped:
      return "skipped";
    case Status::kTimeout:
      return "timeout";
  }
  return "ok";
}

}  // namespace arb
