#include "reports/json.hpp"

#include <cmath>

#include "reports/fields.hpp"
#include "reports/json_text.hpp"
#include "reports/text.hpp"

namespace arb {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

std::string write_json(const Report& report) {
  Json document = {{"schema_version", kSchemaVersion}};
  const auto visit = [&document](const char* name, const auto& field) {
    document[name] = Convert::value(field);
  };
  fields(visit, report);
  return json_text(document) + "\n";
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
