// JUnit has no standard; this keeps to what the schema of Jenkins' xUnit plugin (junit-10.xsd)
// allows, which is the strictest of the common readers: no <properties> in a test case, no
// "skipped" or "timestamp" of <testsuites>.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/gate/text.hpp"
#include "reports/text.hpp"

namespace arb {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// XML 1.0 has no way at all to write most control characters and U+FFFE, U+FFFF.
std::string xml(std::string_view text, bool in_attribute = true) {
  std::string out;
  const std::string valid = valid_utf8(text);
  for (size_t i = 0; i < valid.size(); ++i) {
    const char c = valid[i];
    const bool is_space = c == '\n' || c == '\t';
    const bool is_control = static_cast<unsigned char>(c) < 0x20 && !is_space;
    const bool is_noncharacter =
        valid.compare(i, 3, "\xEF\xBF\xBE") == 0 || valid.compare(i, 3, "\xEF\xBF\xBF") == 0;
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\r' || (is_space && in_attribute)) {
      out += fmt::format("&#{};", static_cast<int>(c));  // readers turn bare ones into others
    } else if (is_noncharacter) {
      out += kReplacement;
      i += 2;
    } else if (is_control) {
      out += kReplacement;
    } else {
      out += c;
    }
  }
  return out;
}

std::string attribute(std::string_view name, std::string_view text) {
  return fmt::format(" {}=\"{}\"", name, xml(text));
}

std::string element(std::string_view name, std::string_view attributes, std::string_view text) {
  return fmt::format("<{}{}>{}</{}>", name, attributes, xml(text, false), name);
}

/// "2026-01-02T03:04:05Z" -> without the zone, which the readers have no place for.
std::string timestamp(const std::string& started) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (started.size() < kForm.size()) return "";
  for (size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = started[i] >= '0' && started[i] <= '9';
    if (kForm[i] == '0' ? !digit : started[i] != kForm[i]) return "";
  }
  return attribute("timestamp", started.substr(0, kForm.size()));
}

std::string why(const GateRow& row) {
  return row.verdict + (row.why.empty() ? "" : ": ") + row.why;
}

std::string values_text(const GateRow& row) {
  std::string text;
  for (const GateValue& value : row.values) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", value.name, value_text(value));
  }
  return text;
}

double seconds_of(const GateRow& row) {
  return std::isfinite(row.seconds) ? std::max(row.seconds, 0.0) : 0;
}

struct Counts {
  long long tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

class Suite {
 public:
  explicit Suite(const Gate& gate) : gate_(gate) {
    for (const GateRow& row : gate.rows) cases_ += test_case(row);
  }

  std::string text() const {
    const std::string sums = fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\"",
                                         counts_.tests, counts_.failures, counts_.errors);
    const std::string time = fmt::format(" time=\"{:.3f}\"", counts_.seconds);
    const std::string name = attribute("name", "allreduce-bench " + gate_.name);
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites{}{}{}>\n"
        "  <testsuite{}{} skipped=\"{}\"{}{}>\n{}{}    {}\n  </testsuite>\n</testsuites>\n",
        name, sums, time, name, sums, counts_.skipped, time, timestamp(gate_.started), properties(),
        cases_, element("system-out", "", talk()));
  }

 private:
  std::string test_case(const GateRow& row) {
    ++counts_.tests;
    counts_.seconds += seconds_of(row);
    std::string inside;
    const std::string says = attribute("message", why(row)) + attribute("type", row.verdict);
    if (row.result == GateResult::kWrong) {
      ++counts_.errors;
      inside = "      " + element("error", says, why(row)) + "\n";
    } else if (fails(gate_, row)) {
      ++counts_.failures;
      inside = "      " + element("failure", says, why(row)) + "\n";
    } else if (row.result == GateResult::kNews || row.result == GateResult::kSkipped) {
      ++counts_.skipped;
      inside = fmt::format("      <skipped{}/>\n", attribute("message", why(row)));
    }
    std::string out = inside.empty() ? why(row) : "";
    if (const std::string values = values_text(row); !values.empty()) {
      out += (out.empty() ? "" : "\n") + values;
    }
    if (!out.empty()) inside += "      " + element("system-out", "", out) + "\n";
    return fmt::format("    <testcase{} name=\"{}\" time=\"{:.3f}\">\n{}    </testcase>\n",
                       attribute("classname", row.group), unique_name(row), seconds_of(row),
                       inside);
  }

  /// Readers take two cases of one name for one: so does what XML cannot write make no twins.
  std::string unique_name(const GateRow& row) {
    const std::string name = xml(row.name);
    const int64_t before = seen_[xml(row.group) + "\n" + name]++;
    return before == 0 ? name : fmt::format("{} ({})", name, before + 1);
  }

  std::string properties() const {
    std::string text;
    const auto add = [&text](const std::string& name, const std::string& value) {
      text += fmt::format("      <property{}{}/>\n", attribute("name", name),
                          attribute("value", value));
    };
    add("version", gate_.version);
    add("command", fmt::format("{}", fmt::join(gate_.command, " ")));
    add("complete", gate_.complete ? "true" : "false");
    for (size_t i = 0; i < gate_.context.size(); ++i) {
      add(fmt::format("context.{}", i + 1), gate_.context[i]);
    }
    return "    <properties>\n" + text + "    </properties>\n";
  }

  std::string talk() const {
    std::string text;
    for (const std::string& warning : gate_.warnings) text += "Warning: " + warning + "\n";
    return text + fmt::format("{}", fmt::join(answer(gate_), "\n"));
  }

  const Gate& gate_;
  Counts counts_;
  std::map<std::string, int64_t> seen_;
  std::string cases_;
};

}  // namespace

std::string write_gate_junit(const Gate& gate) { return Suite(gate).text(); }

}  // namespace arb
