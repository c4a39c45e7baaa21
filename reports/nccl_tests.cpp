#include "reports/nccl_tests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/blocks.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

std::string_view dtype_name(std::string_view dtype) {
  constexpr std::array<std::array<std::string_view, 2>, 3> kRenamed = {
      {{"float16", "half"}, {"float32", "float"}, {"float64", "double"}}};
  const auto* const found = std::find_if(kRenamed.begin(), kRenamed.end(),
                                         [&](const auto& each) { return each[0] == dtype; });
  return found == kRenamed.end() ? dtype : (*found)[1];
}

std::string program_name(std::string collective) {
  std::replace(collective.begin(), collective.end(), '-', '_');
  return collective + "_perf";
}

/// Two decimals while they fit, then one, then none, then an exponent.
std::string fitted(std::optional<double> value, size_t width) {
  if (!value || !std::isfinite(*value)) return right("N/A", width);
  for (const int decimals : {2, 1, 0}) {
    std::string text = fmt::format("{:.{}f}", *value, decimals);
    if (text.size() <= width) return right(text, width);
  }
  return right(fmt::format("{:.{}e}", *value, width >= 7 ? 1 : 0), width);
}

bool checked(const Record& r) { return r.verify.checks > 0 || r.verify.wrong > 0; }

std::string half_row(const Record* r) {
  const bool measured = r != nullptr && r->time;
  const std::optional<double> microseconds =
      measured ? std::optional(r->time->median * 1e6) : std::nullopt;
  const std::string wrong =
      r != nullptr && checked(*r) ? fmt::format("{}", r->verify.wrong) : "N/A";
  return fmt::format("  {}  {}  {}  {}", fitted(microseconds, 7),
                     fitted(measured ? r->algbw_gbps : std::nullopt, 6),
                     fitted(measured && r->ranks > 1 ? r->busbw_gbps : std::nullopt, 6),
                     right(wrong, 6));
}

const Record* with_place(const Records& records, bool in_place) {
  const auto found = std::find_if(records.begin(), records.end(),
                                  [&](const Record* r) { return r->in_place == in_place; });
  return found == records.end() ? nullptr : *found;
}

std::string comment(std::string_view text) { return trimmed("# " + printable(text)) + "\n"; }

std::string row(const Records& both) {
  std::string out;
  for (const Record* r : both) {
    if (r->status == Status::kOk) continue;
    const std::string text = r->status == Status::kWrong     ? wrong_text(*r)
                             : r->status == Status::kSkipped ? "skipped: " + r->reason
                                                             : "time limit: " + r->reason;
    out += comment(
        fmt::format("{} {}: {}", r->bytes, r->in_place ? "in place" : "out of place", text));
  }
  if (std::none_of(both.begin(), both.end(),
                   [](const Record* r) { return r->time.has_value() || checked(*r); }))
    return out;
  const Record& first = *both.front();
  return out + fmt::format("{:12}  {:12}  {:>8}  {:>6}  {:>6}{}{}\n", first.bytes, first.count,
                           dtype_name(first.dtype), first.op.empty() ? "none" : first.op,
                           first.root.value_or(-1), half_row(with_place(both, false)),
                           half_row(with_place(both, true)));
}

std::string heading(const Report& report, const Records& table) {
  const Record& r = *table.front();
  const Environment& e = report.environment;
  std::string out =
      comment(fmt::format("allreduce-bench {}, columns of nccl-tests", report.version));
  out += comment("Collective test starting: " + program_name(r.collective));
  out += comment(fmt::format("algorithm {}{}{}, {}, backend {}, {} cache, unalign: {}", r.algorithm,
                             r.protocol.empty() ? "" : "/", r.protocol, counted(r.ranks, "rank"),
                             r.backend, r.cache, r.unalign));
  const bool longest = r.completion == "longest rank";
  out += comment(
      std::string("time: median of samples, ") +
      (longest ? "the largest end - start of a rank" : "latest end - latest start over ranks"));
  out += "#\n" + comment("Using devices");
  out += comment(fmt::format(" {} on {}: {}", counted(r.ranks, "rank"), e.host, e.cpu));
  for (const std::string& gpu : e.gpus) out += comment(" " + gpu);
  constexpr std::string_view kColumns =
      "# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}  {:>7}  {:>6}  {:>6}  {:>6}  {:>7}  {:>6}  {:>6}  "
      "{:>6} \n";
  out += fmt::format(
      "#\n# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}           out-of-place                       "
      "in-place          \n",
      "", "", "", "", "");
  out += fmt::format(kColumns, "size", "count", "type", "redop", "root", "time", "algbw", "busbw",
                     "#wrong", "time", "algbw", "busbw", "#wrong");
  return out + fmt::format(kColumns, "(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)",
                           "", "(us)", "(GB/s)", "(GB/s)", "");
}

std::string footing(const Records& table) {
  int64_t wrong = 0, checks = 0, bandwidths = 0;
  double sum = 0;
  for (const Record* r : table) {
    checks += checked(*r) ? 1 : 0;
    wrong += r->verify.wrong > 0 ? 1 : 0;
    if (r->ranks > 1 && r->busbw_gbps && std::isfinite(*r->busbw_gbps)) {
      sum += *r->busbw_gbps;
      ++bandwidths;
    }
  }
  // With one rank nothing was exchanged: a plain "0 OK" would claim more than was tested.
  std::string bounds =
      checks == 0 ? "N/A" : fmt::format("{} {}", wrong, wrong > 0 ? "FAILED" : "OK");
  if (table.front()->ranks == 1 && wrong == 0) bounds = "N/A";
  const std::string average =
      bandwidths == 0 ? "N/A" : fmt::format("{:g}", sum / static_cast<double>(bandwidths));
  return fmt::format("# {:<20} : {}\n# {:<20} : {} \n#\n# Collective test concluded: {}\n",
                     "Out of bounds values", bounds, "Avg bus bandwidth", average,
                     program_name(table.front()->collective));
}

auto table_key(const Record* r) {
  return std::make_tuple(r->backend, r->collective, r->algorithm, r->protocol, r->ranks, r->nodes,
                         r->cache, r->unalign);
}

auto row_key(const Record* r) {
  return std::make_tuple(r->bytes, r->count, r->dtype, r->op, r->root);
}

}  // namespace

std::string write_nccl_tests(const Report& report) {
  std::string out;
  for (const auto& [key, table] : grouped(pointers(report.records), table_key)) {
    out += (out.empty() ? "" : "\n") + heading(report, table);
    for (const auto& [size, both] : grouped(table, row_key)) out += row(both);
    out += footing(table);
  }
  return out;
}

}  // namespace arb
