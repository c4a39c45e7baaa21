#include "bench/list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/build_info.hpp"
#include "bench/option_table.hpp"
#include "bench/output_file.hpp"

namespace arb {

namespace {

std::string algorithms_text(std::span<const NamedAlgorithm> known) {
  std::string text;
  for (const Collective collective : kCollectives) {
    text += fmt::format("{}\n", name(collective));
    bool any = false;
    for (const NamedAlgorithm& row : known) {
      if (row.collective != collective) continue;
      any = true;
      text += fmt::format("  {:<27} {:<10} {}{}\n", row.name, row.kind, row.summary,
                          row.backend.empty() ? "" : " (" + row.backend + " only)");
    }
    if (!any) text += "  (no algorithm)\n";
  }
  return text;
}

std::string types_text() {
  std::string text = "Element types (--dtype)\n ";
  for (const Dtype dtype : kDtypes) text += fmt::format(" {}", name(dtype));
  text += "\n  also: half, float, double\n";
  text += "Operations (--op)\n ";
  std::string refused;
  for (const Op op : kOps) {
    text += fmt::format(" {}", name(op));
    std::vector<std::string_view> without;
    for (const Dtype dtype : kDtypes) {
      if (unsupported(dtype, op)) without.push_back(name(dtype));
    }
    if (!without.empty()) {
      refused += fmt::format("  {} is not for {}\n", name(op), fmt::join(without, ", "));
    }
  }
  return text + "\n" + refused;
}

std::string backends_text() {
  std::string text = "Backends (--backend)\n";
  for (const Backend& backend : backends()) {
    text += fmt::format("  {:<6} {}\n", backend.name,
                        backend.off.empty() ? backend.summary : "off: " + backend.off);
  }
  return text;
}

}  // namespace

std::string list_text(std::span<const NamedAlgorithm> known) {
  std::string text = "Algorithms (--collective, --algorithms)\n";
  text +=
      "scheduled ones are proved and replayed; native ones are hand-written and "
      "checked\n";
  text += algorithms_text(known);
  text += types_text();
  text += fmt::format("Formats (--format)\n  {}\n", fmt::join(format_choices(), " "));
  text += fmt::format("Reports (--output FILE)\n  {}\n", fmt::join(file_endings(), " "));
  return text + backends_text();
}

}  // namespace arb
