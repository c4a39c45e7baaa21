#include "reports/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "reports/blocks.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

constexpr size_t kWidth = 120;
constexpr size_t kSizeColumns = 9;
constexpr std::string_view kBold = "\x1b[1m", kRed = "\x1b[31m", kDim = "\x1b[2m",
                           kPlain = "\x1b[0m";

constexpr std::string_view kDefinitions =
    R"(size     bytes per rank, the larger of input and output; 1 KiB = 1024 B
time     completion time of one operation: latest end - latest start over ranks; the median
+-       from the median to the farther end of its 95 % interval
vs best  time / time of the fastest algorithm of this size; * fastest, ~ tied with it (intervals overlap)
algbw    size / time in GB/s, 1 GB = 1e9 B
busbw    algbw x a factor that makes rank counts comparable (all-reduce: 2(n-1)/n)
limit    time of copying every input to its output (the least traffic there is) / time; large messages only
check    every element against the reference: ok, WRONG, or off (not checked)
notes    flags; batch n: a sample is n operations, divided by n; asked: the size before rounding to whole elements
)";

/// "8 x NVIDIA H100": what comes before the first comma, which is what differs between GPUs.
std::string gpus_text(const std::vector<std::string>& gpus) {
  std::string text;
  const auto name = [](const std::string& gpu) { return gpu.substr(0, gpu.find(',')); };
  for (const auto& [each, same] : grouped(gpus, name)) {
    text += ", " + (same.size() > 1 ? fmt::format("{} x {}", same.size(), each) : each);
  }
  return text;
}

std::string machine(const Environment& e) {
  std::string text = fmt::format("host {}: {}", e.host, e.cpu);
  if (e.cores_usable > 0) text += fmt::format(", {}", counted(e.cores_usable, "usable core"));
  if (e.memory_bytes > 0)
    text += fmt::format(", {} memory", about_size(static_cast<double>(e.memory_bytes)));
  if (e.last_level_cache_bytes > 0)
    text += fmt::format(", {} last-level cache", exact_size(e.last_level_cache_bytes));
  text += gpus_text(e.gpus);
  if (!e.nccl.empty()) text += ", NCCL " + e.nccl;
  if (!e.mpi.empty()) text += ", " + e.mpi;
  if (e.placement.size() > 1) {
    text += fmt::format("; ranks on {}: {}", counted(std::ssize(e.placement), "node"),
                        fmt::join(e.placement, "; "));
  }
  if (e.copy_limit_gbps)
    text += fmt::format("; memory limit: copy {} GB/s", significant(*e.copy_limit_gbps));
  if (e.add_limit_gbps)
    text +=
        fmt::format("{} add {} GB/s",
                    e.copy_limit_gbps ? "," : "; memory limit:", significant(*e.add_limit_gbps));
  return printable(text);
}

std::string optional_time(const std::optional<double>& seconds) {
  return seconds ? about_time(*seconds) : "-";
}

std::string check_text(const Record& r) {
  if (r.status == Status::kWrong || r.verify.wrong > 0) return "WRONG";
  return r.verify.verdict == "ok" ? "ok" : "off";
}

std::string bus_text(const Record& r) {
  if (r.ranks == 1) return "n.a.";
  return r.busbw_gbps ? significant(*r.busbw_gbps) : "-";
}

std::string notes(const Record& r) {
  std::string text;
  const auto add = [&text](const std::string& note) { text += (text.empty() ? "" : ", ") + note; };
  for (const std::string& flag : r.flags) add(flag);
  if (r.time && r.time->batch > 1) add(fmt::format("batch {}", r.time->batch));
  if (r.straggler) add(fmt::format("slowest: rank {}", *r.straggler));
  if (r.requested_bytes != r.bytes) add(fmt::format("asked {}", exact_size(r.requested_bytes)));
  return printable(text);
}

/// Why there is no full result; empty if there is one.
std::string not_run(const Record& r) {
  if (r.status != Status::kSkipped && r.status != Status::kTimeout) return "";
  return printable(fmt::format("{}: {}", r.status == Status::kSkipped ? "skipped" : "TIME LIMIT",
                               r.reason.empty() ? "no reason recorded" : r.reason));
}

/// The columns after the algorithm's name; also the heading's.
std::string cells(std::string_view time, std::string_view half, std::string_view p99,
                  std::string_view ratio, std::string_view algbw, std::string_view busbw,
                  std::string_view limit, std::string_view check) {
  return right(time, 7) + right(half, 8) + right(p99, 9) + right(ratio, 9) + right(algbw, 9) +
         right(busbw, 9) + right(limit, 7) + "  " + left(check, 5);
}

std::string timed_cells(const Record& r, const Record* best) {
  const TimeStats& time = *r.time;
  const std::optional<double> half = half_width(time);
  const bool compared = best != nullptr && usable(r);
  return cells(about_time(time.median), half ? percent(*half) : "-", optional_time(time.p99),
               compared ? significant(time.median / best->time->median) + "x" : "-",
               r.algbw_gbps ? significant(*r.algbw_gbps) : "-", bus_text(r),
               r.limit_share ? percent(*r.limit_share) : "-", check_text(r));
}

}  // namespace

std::string TableWriter::header(const Report& report) const {
  std::string text = "allreduce-bench " + report.version;
  if (!report.revision.empty()) text += fmt::format(" ({})", report.revision);
  if (!report.build.empty()) text += ", " + report.build;
  return fmt::format("{}\n{}\n{}", wrapped(printable(text), kWidth, 2),
                     wrapped(machine(report.environment), kWidth, 2), kDefinitions);
}

std::string TableWriter::group(std::span<const Record> records) {
  Records all;
  for (const Record& record : records) all.push_back(&record);
  return rows(all);
}

std::string TableWriter::rows(const Records& records) {
  std::string out;
  for (const auto& [key, block] : grouped(records, block_key)) {
    if (std::string title = block_title(*block.front()); title != title_) {
      const std::string_view factor = bus_factor_text(block.front()->collective);
      const std::string heading =
          fmt::format("{}{}{}", title, factor.empty() ? "" : "; busbw = algbw x ", factor);
      out += fmt::format("\n{}{}{}\n", style_.colour ? kBold : "", wrapped(heading, kWidth, 2),
                         style_.colour ? kPlain : "");
      out += right("size", kSizeColumns) + "  " + left("algorithm", style_.algorithm_columns) +
             "   " + cells("time", "+-", "p99", "vs best", "algbw", "busbw", "limit", "check") +
             "  notes\n";
      title_ = std::move(title);
    }
    for (const auto& [bytes, group] : grouped(block, [](const Record* r) { return r->bytes; })) {
      for (const Record* record : group) out += line(*record, record == group.front(), group);
    }
  }
  return out;
}

std::string TableWriter::line(const Record& r, bool first, const Records& records) const {
  const Record* best = fastest(records);
  const auto rivals = std::count_if(records.begin(), records.end(),
                                    [](const Record* each) { return usable(*each); });
  const bool winner = &r == best && rivals > 1;
  const bool near = rivals > 1 && &r != best && usable(r) && tied(r, *best);
  const std::string head =
      right(first ? exact_size(r.bytes) : "", kSizeColumns) + "  " + label(r, records);
  std::string text = left(head, kSizeColumns + 2 + style_.algorithm_columns) + (winner ? " * "
                                                                                : near ? " ~ "
                                                                                       : "   ");
  std::vector<std::string> below;
  if (r.time) {
    text += timed_cells(r, rivals > 1 ? best : nullptr);
    const std::string note = notes(r);
    if (columns(text) + 2 + columns(note) <= kWidth) {
      text += "  " + note;
    } else {
      below.push_back(note);
    }
  }
  const bool wrong = r.status == Status::kWrong || r.verify.wrong > 0;
  if (wrong) below.push_back(wrong_text(r));
  if (const std::string reason = not_run(r); r.time && !reason.empty()) {
    below.push_back(reason);
  } else {
    text += wrapped(reason, kWidth, columns(text), columns(text));
  }
  text = trimmed(std::move(text));
  const size_t indent = kSizeColumns + 2;
  for (const std::string& each : below) {
    text += "\n" + std::string(indent, ' ') + wrapped("`- " + each, kWidth, indent + 3, indent);
  }
  std::string_view paint;
  if (style_.colour && winner) paint = kBold;
  if (style_.colour && r.status == Status::kSkipped) paint = kDim;
  if (style_.colour && (wrong || r.status == Status::kTimeout)) paint = kRed;
  return fmt::format("{}{}{}\n", paint, text, paint.empty() ? "" : kPlain);
}

std::string TableWriter::footer(const Report& report) const {
  return fits_text(report.fits) + crossovers_text(report.crossovers) + best_text(report.best);
}

std::string write_table(const Report& report) {
  TableStyle style{.algorithm_columns = 9};
  const Records all = pointers(report.records);
  for (const Record* record : all) {
    style.algorithm_columns = std::max(style.algorithm_columns, columns(label(*record, all)));
  }
  TableWriter table(style);
  return table.header(report) + table.rows(all) + table.footer(report);
}

}  // namespace arb
