#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "reports/fields.hpp"
#include "reports/json.hpp"
#include "reports/json_node.hpp"

namespace arb {
namespace {

using Json = nlohmann::json;
using Node = JsonNode;

/// One overload per kind of value, as in the writer.
struct Parse {
  static void value(const Node& node, bool& flag) {
    node.expect(node.json.is_boolean(), "true or false");
    flag = node.json.get<bool>();
  }
  static void value(const Node& node, int64_t& number) {
    if (node.json.is_number_float()) {  // some tools write 4294967296 as 4.294967296e9
      const double real = node.json.get<double>();
      node.expect(real == std::floor(real) && std::abs(real) < 9007199254740992.0,
                  "a whole number");
      number = static_cast<int64_t>(real);
      return;
    }
    node.expect(node.json.is_number_integer(), "a whole number");
    const bool fits = !node.json.is_number_unsigned() ||
                      node.json.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()};
    node.expect(fits, "a whole number below 2^63");
    number = node.json.get<int64_t>();
  }
  static void value(const Node& node, double& number) {
    node.expect(node.json.is_number() || node.json.is_null(), "a number or null");
    number =
        node.json.is_null() ? std::numeric_limits<double>::quiet_NaN() : node.json.get<double>();
  }
  static void value(const Node& node, std::string& text) {
    node.expect(node.json.is_string(), "a text");
    text = node.json.get<std::string>();
  }
  static void value(const Node& node, Status& status) {
    for (const Status each : {Status::kOk, Status::kWrong, Status::kSkipped, Status::kTimeout}) {
      if (node.json == name(each)) {
        status = each;
        return;
      }
    }
    node.expect(false, R"("ok", "wrong", "skipped" or "timeout")");
  }
  static void value(const Node& node, std::pair<double, double>& interval) {
    if (node.json.is_null()) {
      interval.first = interval.second = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    node.expect(node.json.is_array() && node.json.size() == 2, "[low, high] or null");
    for (const size_t i : {0, 1}) node.item(i).expect(node.json[i].is_number(), "a number");
    interval = {node.json[0].get<double>(), node.json[1].get<double>()};
  }
  static void value(const Node& node, std::map<std::string, std::string>& map) {
    node.expect(node.json.is_object(), "an object");
    for (const auto& [key, text] : node.json.items()) value(node.field(key), map[key]);
  }
  static void value(const Node& node, MaybeText<std::string> maybe) {
    if (!node.json.is_null()) value(node, maybe.text);
  }
  static void value(const Node& node, NewerText<std::string> maybe) {
    value(node, MaybeText{maybe.text});
  }
  static void value(const Node& node, MaybeCount<int64_t> maybe) {
    if (!node.json.is_null()) value(node, maybe.count);
  }
  static void value(const Node& node, MaybeSamples<std::vector<double>> maybe) {
    if (!node.json.is_null()) value(node, maybe.list);
  }
  template <class T>
  static void value(const Node& node, Newer<T> newer) {
    value(node, newer.value);
  }
  template <class T>
  static void value(const Node& node, std::optional<T>& maybe) {
    if (!node.json.is_null()) value(node, maybe.emplace());
  }
  template <class T>
  static void value(const Node& node, std::vector<T>& list) {
    node.expect(node.json.is_array(), "a list");
    for (size_t i = 0; i < node.json.size(); ++i) value(node.item(i), list.emplace_back());
  }
  static constexpr bool may_lack(const auto&) { return false; }
  template <class T>
  static constexpr bool may_lack(const Newer<T>&) {
    return true;
  }
  template <class T>
  static constexpr bool may_lack(const BeforeAfter<T>&) {
    return true;
  }
  template <class T>
  static constexpr bool may_lack(const NewerText<T>&) {
    return true;
  }
  template <HasFields T>
  static void value(const Node& node, T& object) {
    object_fields(node, object, {});
  }
  static void object_fields(const Node& node, auto& object, std::set<std::string> known) {
    node.expect(node.json.is_object(), "an object");
    const auto visit = [&](const char* name, auto&& field) {
      known.insert(name);
      if (!may_lack(field) || node.json.contains(name)) value(node.field(name), field);
    };
    fields(visit, object);
    for (const auto& [key, ignored] : node.json.items()) {
      if (!known.contains(key))
        Node{ignored, node.path.empty() ? key : node.path + "." + key, node.document}.fail(
            "unknown field");
    }
  }
};

}  // namespace

Report read_json(std::string_view text) {
  const Json json = parse_strictly(text, "report");
  const Node node{json, "", "report"};
  node.expect(json.is_object(), "an object");
  int64_t version = 0;
  Parse::value(node.field("schema_version"), version);
  if (version != kSchemaVersion) {
    node.field("schema_version")
        .fail(fmt::format("this report has version {}, this program reads version {}; use the "
                          "program that wrote it "
                          "(\"tool\") or measure again",
                          version, kSchemaVersion));
  }
  Report report;
  Parse::object_fields(node, report, {"schema_version"});
  return report;
}

}  // namespace arb
