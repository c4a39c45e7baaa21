#include "reports/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/blocks.hpp"
#include "reports/model_text.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

template <class T, class U>
std::vector<T> of_case(const std::vector<T>& rows, const U& like) {
  std::vector<T> same;
  for (const T& row : rows) {
    if (case_key(row) == case_key(like)) same.push_back(row);
  }
  return same;
}

/// Where one algorithm hands over to the next: the resolved crossover within the two rows, a
/// measured one before a fitted one, of several the one nearest to the edge between the rows.
std::string border(const Best& below, const Best& above, const std::vector<Crossover>& crossovers) {
  const double edge =
      std::sqrt(static_cast<double>(below.max_bytes) * static_cast<double>(above.min_bytes));
  const auto rank = [edge](const Crossover& c) {
    return std::make_pair(c.method != "measured", std::abs(std::log(*c.bytes / edge)));
  };
  const Crossover* nearest = nullptr;
  for (const Crossover& c : crossovers) {
    if (c.from != below.algorithm || c.to != above.algorithm || !c.resolved || !c.bytes) continue;
    if (*c.bytes < static_cast<double>(below.min_bytes)) continue;
    if (*c.bytes > static_cast<double>(above.max_bytes)) continue;
    if (nearest == nullptr || rank(c) < rank(*nearest)) nearest = &c;
  }
  if (nearest != nullptr) return about_size(*nearest->bytes, nearest->ci95);
  return fmt::format("about {} (the exact crossover is not resolved)", exact_size(below.max_bytes));
}

std::string winners(const std::vector<Best>& best, const std::vector<Crossover>& crossovers) {
  const auto caveat = [](const Best& row) {
    return row.resolved ? "" : " (within the noise of the runner-up)";
  };
  if (best.size() == 1) {
    return fmt::format("{} is fastest at every size{}, {}.", best[0].algorithm, caveat(best[0]),
                       size_range(best[0].min_bytes, best[0].max_bytes));
  }
  std::string text = best[0].algorithm + " is fastest" + caveat(best[0]);
  for (size_t i = 0; i + 1 < best.size(); ++i) {
    text += fmt::format(" up to {}, then {}{}", border(best[i], best[i + 1], crossovers),
                        best[i + 1].algorithm, caveat(best[i + 1]));
  }
  return text + ".";
}

/// Where the one overtakes the other for the last time, as measured; empty if they never cross, or
/// if the list of the fastest says so already.
std::string overtaking(std::string_view one, std::string_view other, const std::vector<Best>& best,
                       const std::vector<Crossover>& crossovers) {
  std::vector<Crossover> found;
  for (const Crossover& c : crossovers) {
    const bool same = (c.from == one && c.to == other) || (c.from == other && c.to == one);
    if (same && c.method == "measured" && c.resolved && c.bytes) found.push_back(c);
  }
  if (found.empty()) return "";
  const auto last =
      std::max_element(found.begin(), found.end(),
                       [](const Crossover& a, const Crossover& b) { return *a.bytes < *b.bytes; });
  for (size_t i = 0; i + 1 < best.size(); ++i) {
    if (best[i].algorithm == last->from && best[i + 1].algorithm == last->to) return "";
  }
  return fmt::format(
      "{} overtakes {} at {}{}", last->to, last->from, about_size(*last->bytes, last->ci95),
      found.size() > 1 ? fmt::format(" (the last of {} crossings)", found.size()) : "");
}

/// The lesson of the three classical algorithms: few messages win for small sizes, little traffic
/// for large ones.
std::string lesson(const std::vector<Best>& best, const std::vector<Crossover>& crossovers) {
  std::string text;
  for (const auto& [one, other] : {std::pair{"ring", "tree"}, std::pair{"ring", "naive-root"},
                                   std::pair{"tree", "naive-root"}}) {
    const std::string found = overtaking(one, other, best, crossovers);
    if (!found.empty()) text += (text.empty() ? "" : "; ") + found;
  }
  return text.empty() ? "" : text + ".";
}

/// How near the fastest at the largest size comes to what the memory can do.
std::string limit_sentence(const Records& records) {
  Records measured = records;
  std::erase_if(measured, [](const Record* r) {
    return !usable(*r) || !std::isfinite(r->limit_share.value_or(NAN));
  });
  if (measured.empty()) return "";
  int64_t largest = 0;
  for (const Record* r : measured) largest = std::max(largest, r->bytes);
  std::erase_if(measured, [largest](const Record* r) { return r->bytes != largest; });
  const Record* top = fastest(measured);
  if (top == nullptr) return "";
  return fmt::format("{} reaches {} of the memory limit at {}.", top->algorithm,
                     percent(*top->limit_share), exact_size(top->bytes));
}

/// The words by which the cases of this report differ.
std::string case_name(const Record& r, const Report& report) {
  std::set<std::string> kinds, places;
  for (const Record& each : report.records) {
    kinds.insert(each.backend + " " + each.collective);
    places.insert(each.in_place ? "in place" : "out of place");
  }
  std::string name = kinds.size() > 1 ? fmt::format("{} {}, ", r.backend, r.collective) : "";
  name += counted(r.ranks, "rank");
  if (places.size() > 1) name += r.in_place ? ", in place" : ", out of place";
  return name;
}

std::string case_text(const Report& report, const Records& records) {
  const Record& first = *records.front();
  const std::vector<Best> best = of_case(report.best, first);
  std::set<std::string> algorithms, shown;
  for (const Record* r : records) algorithms.insert(r->algorithm);
  for (const Best& row : best) shown.insert(row.algorithm);
  std::string first_line = case_name(first, report) + ":";
  if (algorithms.size() == 1) {
    first_line += fmt::format(" only {} was measured.", *algorithms.begin());
  } else if (!best.empty()) {
    first_line += " " + winners(best, of_case(report.crossovers, first));
  }
  std::string out = paragraph(first_line);
  if (const std::string sentence = lesson(best, of_case(report.crossovers, first));
      !sentence.empty())
    out += paragraph(sentence, 2);
  for (const Fit& fit : of_case(report.fits, first)) {
    if (shown.empty() || shown.contains(fit.algorithm)) out += paragraph(fit_sentence(fit), 2);
  }
  if (const std::string sentence = limit_sentence(records); !sentence.empty())
    out += paragraph(sentence, 2);
  return out;
}

}  // namespace

std::string write_summary(const Report& report) {
  std::string out;
  for (const auto& [key, records] :
       grouped(pointers(report.records), [](const Record* r) { return case_key(*r); })) {
    out += case_text(report, records);
  }
  return out + correctness_text(report) + warnings_text(report);
}

}  // namespace arb
