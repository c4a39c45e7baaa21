// The tables below the results: what the times say about the machine, and which algorithm to use.
#include <fmt/format.h>

#include <algorithm>

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
  const bool first = segment.min_bytes == fit.segments.front().min_bytes;
  return left(size_range(segment.min_bytes, segment.max_bytes), 21) + " " +
         left(first ? latency_text(fit) : "", 31) + " " + left(bandwidth_text(fit, segment), 30) +
         fmt::format(" ({})", percent(segment.max_relative_error));
}

size_t name_columns(const std::vector<Fit>& fits) {
  size_t widest = 9;
  for (const Fit& fit : fits) widest = std::max(widest, columns(fit.algorithm));
  return widest;
}

std::vector<Crossover> with(const std::vector<Crossover>& rows, std::string_view method,
                            bool resolved) {
  std::vector<Crossover> found;
  for (const Crossover& row : rows) {
    if ((row.method == "measured") == (method == "measured") && row.resolved == resolved)
      found.push_back(row);
  }
  return found;
}

/// "ring from 353 B [353, 361], naive-root from 1.45 KiB [1.43, 1.46]"
std::string takeovers(const std::vector<Crossover>& rows, bool named) {
  std::string text;
  for (const Crossover& row : rows) {
    if (!text.empty()) text += ", ";
    if (!row.bytes) {
      text += "none: one of them is faster at every size";
      continue;
    }
    if (named) text += row.to + " from ";
    text += about_size(*row.bytes, row.ci95);
  }
  return text;
}

std::string unresolved(const Crossover& row) {
  if (row.bytes) return "not resolved, somewhere near " + about_size(*row.bytes, row.ci95);
  if (!row.ci95) return "not resolved";
  return fmt::format("not resolved, between {} and {}", about_size(row.ci95->first),
                     about_size(row.ci95->second));
}

/// Measured ones are the result. Fitted ones stand beside them only if all of them are resolved.
std::string crossings(const std::vector<Crossover>& rows) {
  const std::vector<Crossover> measured = with(rows, "measured", true);
  const std::vector<Crossover> open = with(rows, "measured", false);
  const std::vector<Crossover> open_fits = with(rows, "fitted", false);
  const std::vector<Crossover> fitted =
      open_fits.empty() ? with(rows, "fitted", true) : std::vector<Crossover>{};
  std::string text = takeovers(measured, true);
  if (measured.empty() && !open.empty()) text = unresolved(open.front());
  if (text.empty() && fitted.empty()) return "fitted: " + unresolved(open_fits.front());
  if (fitted.empty()) return text;
  const bool same = measured.size() == 1 && fitted.size() == 1 && measured[0].to == fitted[0].to;
  return text + (text.empty() ? "" : "; ") + "fitted: " + takeovers(fitted, !same);
}

/// Broken between the crossings, not within one.
std::string wrapped_crossings(const std::vector<Crossover>& rows, size_t indent) {
  constexpr std::string_view kHardBlank = "\u00a0";
  std::string text;
  bool in_interval = false;
  for (const char each : printable(crossings(rows))) {
    in_interval = each == '[' || (in_interval && each != ']');
    const bool between = !text.empty() && (text.back() == ',' || text.back() == ';');
    text +=
        each == ' ' && (in_interval || !between) ? std::string(kHardBlank) : std::string(1, each);
  }
  text = wrapped(text, kWidth, indent, indent);
  for (size_t at = text.find(kHardBlank); at != std::string::npos; at = text.find(kHardBlank)) {
    text.replace(at, kHardBlank.size(), " ");
  }
  return text;
}

std::string pair_name(const Crossover& row) {
  const auto [first, second] = std::minmax(row.from, row.to);
  return printable(first + " | " + second);
}

}  // namespace

std::string fits_text(const std::vector<Fit>& fits) {
  if (fits.empty()) return "";
  const size_t width = name_columns(fits);
  std::string out =
      "\nFits: time = intercept + slope x size, from knee to knee; [95 % interval] (worst error)\n"
      "  alpha = intercept / steps, of the smallest sizes; beta = traffic / slope, for large "
      "messages "
      "that of the last line\n";
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
  size_t width = 0;
  for (const Crossover& row : crossovers) width = std::max(width, columns(pair_name(row)));
  std::string out =
      "\nCrossovers: from which size on which of the two is faster, as measured; [95 % interval]\n";
  for (const auto& [key, rows] : grouped(crossovers, case_key<Crossover>)) {
    out += case_title(rows.front());
    for (const auto& [pair, same] : grouped(rows, pair_name)) {
      out += "    " + left(pair, width) + "  " + wrapped_crossings(same, width + 6) + "\n";
    }
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
