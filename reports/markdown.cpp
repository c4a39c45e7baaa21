#include "reports/markdown.hpp"

#include <fmt/format.h>

#include "reports/blocks.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

std::string result(const Record& r) {
  switch (r.status) {
    case Status::kWrong:
      return wrong_text(r);
    case Status::kSkipped:
      return "skipped: " + r.reason;
    case Status::kTimeout:
      return "TIME LIMIT: " + r.reason;
    case Status::kOk:
      break;
  }
  std::string text = r.verify.verdict == "ok" ? "ok" : "not checked";
  for (const std::string& flag : r.flags) text += ", " + flag;
  return text;
}

std::string row(const Record& r, const Records& same_size) {
  const std::string name = markdown_text(label(r, same_size));
  const std::optional<double> half = r.time ? half_width(*r.time) : std::nullopt;
  const std::string time =
      !r.time ? "" : about_time(r.time->median) + (half ? " +- " + percent(*half) : "");
  const bool winner = same_size.size() > 1 && fastest(same_size) == &r;
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", exact_size(r.bytes),
                     winner ? "**" + name + "**" : name, time,
                     r.algbw_gbps ? significant(*r.algbw_gbps) : "",
                     r.ranks == 1   ? "n.a."
                     : r.busbw_gbps ? significant(*r.busbw_gbps)
                                    : "",
                     markdown_text(result(r)));
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (std::string_view("|\\`*_<>[]&").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string write_markdown(const Report& report) {
  const Environment& e = report.environment;
  std::string out = fmt::format(
      "allreduce-bench {} on {} ({}): time is the median of one operation with its 95 % interval; "
      "bandwidths in GB/s (1e9 bytes/s).\n",
      markdown_text(report.version), markdown_text(e.host), markdown_text(e.cpu));
  for (const auto& [key, block] : grouped(pointers(report.records), block_key)) {
    out += fmt::format(
        "\n#### {}\n\n| size | algorithm | time | algbw | busbw | result |\n|-:|:-|-:|-:|-:|:-|\n",
        markdown_text(block_title(*block.front())));
    for (const auto& [bytes, same_size] :
         grouped(block, [](const Record* r) { return r->bytes; })) {
      for (const Record* record : same_size) out += row(*record, same_size);
    }
  }
  return out;
}

}  // namespace arb
