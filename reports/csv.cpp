#include "reports/csv.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reports/fields.hpp"
#include "reports/json.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

std::string quoted_if_needed(const std::string& text) {
  std::string safe;
  bool quote = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  for (const char c : valid_utf8(text)) {
    if (c == '\0') continue;  // many readers stop at it
    quote = quote || c == '"' || c == ',' || c == '\n' || c == '\r';
    if (c == '"') safe += '"';
    safe += c;
  }
  return quote ? fmt::format("\"{}\"", safe) : safe;
}

/// Collects names and cells of one record side by side, so that their numbers always agree.
class Row {
 public:
  void operator()(const char* field, const auto& value) {
    const std::string outer = name_;
    name_ += (outer.empty() ? "" : ".") + std::string(field);
    add(value);
    name_ = outer;
  }

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& cells() const { return cells_; }

 private:
  void cell(const std::string& text) {
    names_.push_back(name_);
    cells_.push_back(missing_ ? "" : quoted_if_needed(text));
  }
  void add(bool flag) { cell(flag ? "true" : "false"); }
  void add(int64_t number) { cell(fmt::format("{}", number)); }
  void add(double number) { cell(std::isfinite(number) ? shortest(number) : ""); }
  void add(const std::string& text) { cell(text); }
  void add(Status status) { cell(std::string(name(status))); }
  void add(MaybeText<const std::string> maybe) { cell(maybe.text); }
  void add(NewerText<const std::string> maybe) { cell(maybe.text); }
  void add(MaybeSamples<const std::vector<double>>) {}
  void add(const std::vector<std::string>& list) { cell(fmt::format("{}", fmt::join(list, ";"))); }
  void add(const std::pair<double, double>& interval) {
    const bool outer = missing_;
    missing_ = missing_ || !std::isfinite(interval.first) || !std::isfinite(interval.second);
    (*this)("low", interval.first);
    (*this)("high", interval.second);
    missing_ = outer;
  }
  template <class T>
  void add(Newer<T> newer) {
    add(newer.value);
  }
  void add(BeforeAfter<const std::optional<std::pair<double, double>>> both) {
    const bool outer = missing_;
    missing_ = missing_ || !both.value;
    const auto [before, after] = both.value.value_or(std::pair{0.0, 0.0});
    (*this)("before", before);
    (*this)("after", after);
    missing_ = outer;
  }
  template <class T>
  void add(const std::optional<T>& maybe) {
    const bool outer = missing_;
    missing_ = missing_ || !maybe;
    add(maybe ? *maybe : T{});
    missing_ = outer;
  }
  template <HasFields T>
  void add(const T& object) {
    fields(*this, object);
  }

  std::string name_;
  bool missing_ = false;
  std::vector<std::string> names_, cells_;
};

Row row_of(const Record& record) {
  Row row;
  fields(row, record);
  return row;
}

}  // namespace

std::string write_csv(const Report& report) {
  std::string out = fmt::format("{}\n", fmt::join(row_of({}).names(), ","));
  for (const Record& record : report.records) {
    out += fmt::format("{}\n", fmt::join(row_of(record).cells(), ","));
  }
  return out;
}

}  // namespace arb
