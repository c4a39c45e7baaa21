// The tables below the results: what the times say about the machine, and which algorithm to use.
#include <fmt/format.h>

#include "reports/blocks.hpp"
#include "reports/model_text.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

constexpr size_t kWidth = 120;

std::string case_title(const auto& row) {
  return printable(fmt::format("  {} {}, {}, {}", row.backend, row.collective,
                               counted(row.ranks, "rank"),
                               row.in_place ? "in place" : "out of place")) +
         "\n";
}

std::string segment_line(const Fit& fit, const Segment& segment) {
  return left(size_range(segment.min_bytes, segment.max_bytes), 21) + " " +
         left(latency_text(fit, segment), 31) + " " + left(bandwidth_text(fit, segment), 30) +
         fmt::format(" ({})", percent(segment.max_relative_error));
}

size_t name_columns(const std::vector<Fit>& fits) {
  size_t widest = 9;
  for (const Fit& fit : fits) widest = std::max(widest, columns(fit.algorithm));
  return widest;
}

std::string crossover_line(const Crossover& c) {
  const std::string where = c.bytes ? about_size(*c.bytes, c.ci95) : "";
  std::string text = fmt::format("    {} -> {}: ", c.from, c.to);
  if (c.bytes && c.resolved) text += where;
  if (c.bytes && !c.resolved) text += fmt::format("not resolved, somewhere near {}", where);
  if (!c.bytes && c.resolved) text += "none: one of them is faster at every size";
  if (!c.bytes && !c.resolved) {
    text += "not resolved";
    if (c.ci95)
      text +=
          fmt::format(", between {} and {}", about_size(c.ci95->first), about_size(c.ci95->second));
  }
  return printable(fmt::format("{} ({})", text, c.method)) + "\n";
}

}  // namespace

std::string fits_text(const std::vector<Fit>& fits) {
  if (fits.empty()) return "";
  const size_t width = name_columns(fits);
  std::string out =
      "\nFits: time = intercept + slope x size; alpha = intercept / steps, beta = traffic / slope; "
      "[95 % interval] (worst error)\n";
  for (const auto& [key, rows] : grouped(fits, case_key<Fit>)) {
    out += case_title(rows.front());
    for (const Fit& fit : rows) {
      std::string name = "    " + left(printable(fit.algorithm), width) + "  ";
      if (fit.segments.empty()) {
        out += name;
        out += wrapped(
            "no fit: " + printable(fit.refused.empty() ? "no reason recorded" : fit.refused),
            kWidth, width + 6, width + 6);
        out += "\n";
      }
      for (const Segment& segment : fit.segments) {
        out += name + segment_line(fit, segment) + "\n";
        name.assign(width + 6, ' ');
      }
    }
  }
  return out;
}

std::string crossovers_text(const std::vector<Crossover>& crossovers) {
  if (crossovers.empty()) return "";
  std::string out = "\nCrossovers: where the first stops being the faster one; [95 % interval]\n";
  for (const auto& [key, rows] : grouped(crossovers, case_key<Crossover>)) {
    out += case_title(rows.front());
    for (const Crossover& row : rows) out += crossover_line(row);
  }
  return out;
}

std::string best_text(const std::vector<Best>& best) {
  if (best.empty()) return "";
  std::string out = "\nFastest algorithm by size\n";
  for (const auto& [key, rows] : grouped(best, case_key<Best>)) {
    out += case_title(rows.front());
    for (const Best& row : rows) {
      out += trimmed("    " + left(size_range(row.min_bytes, row.max_bytes), 23) +
                     printable(row.algorithm) +
                     (row.resolved ? "" : "  (not told apart from the next one)")) +
             "\n";
    }
  }
  return out;
}

}  // namespace arb
