#include "reports/tune/text.hpp"

#include <fmt/format.h>

#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

std::string row(const std::string& ranks, const std::string& nodes, const std::string& from,
                const std::string& to, const std::string& algorithm, const std::string& against) {
  return trimmed(fmt::format("{} {}  {} {}  {} {}", right(ranks, 5), right(nodes, 5),
                             right(from, 10), right(to, 10), left(algorithm, 20), against)) +
         "\n";
}

}  // namespace

std::string speedups(const TunedRange& range) {
  const std::string least = fmt::format("x{:.2f}", range.least_speedup);
  const std::string most = fmt::format("x{:.2f}", range.most_speedup);
  return least == most ? least : fmt::format("{} to {}", least, most);
}

std::string span_text(const TunedRange& range) {
  const std::string first = exact_size(range.first_bytes);
  return range.first_bytes == range.last_bytes ? first
                                               : first + " to " + exact_size(range.last_bytes);
}

std::string tuning_table(const Tuning& tuning, const Library& library) {
  std::string text = fmt::format("{}: {}\n", library.title, describe(tuning.of));
  text += row("ranks", "nodes", "from", "to", "algorithm", "against the default");
  for (const Scale& scale : tuning.scales) {
    for (const TunedRange& range : ranges_of(scale)) {
      const bool chosen = !range.variant.empty();
      text +=
          row(std::to_string(scale.ranks), std::to_string(scale.nodes),
              exact_size(range.first_bytes), exact_size(range.last_bytes),
              chosen ? range.variant : "(its own choice)", chosen ? speedups(range) : range.why);
    }
  }
  for (const std::string& note : tuning.notes) text += paragraph(note, 2);
  return text;
}

}  // namespace arb
