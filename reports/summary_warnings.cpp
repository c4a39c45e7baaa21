// The end of the summary: was all correct, and what weakens the result.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/blocks.hpp"
#include "reports/flags.hpp"
#include "reports/summary.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

constexpr size_t kNamed = 5;  // so many results are named; of more only the number is said

std::string result_name(const Record& r) {
  return fmt::format("{} {} {}, {}, {}, {} {}, {}", r.backend, r.collective, r.algorithm,
                     counted(r.ranks, "rank"), exact_size(r.bytes), r.dtype, r.op,
                     r.in_place ? "in place" : "out of place");
}

Records with_status(const Report& report, Status status) {
  Records found = pointers(report.records);
  std::erase_if(found, [status](const Record* r) { return r->status != status; });
  return found;
}

std::string named(const Records& records, auto text) {
  std::string out;
  for (size_t i = 0; i < std::min(records.size(), kNamed); ++i)
    out += paragraph(text(*records[i]), 2);
  if (records.size() > kNamed) out += fmt::format("  and {} more\n", records.size() - kNamed);
  return out;
}

std::string skipped_text(const Records& skipped) {
  std::vector<std::pair<std::string, size_t>> reasons;
  for (const auto& [reason, records] :
       grouped(skipped, [](const Record* r) { return r->reason; })) {
    reasons.emplace_back(reason, records.size());
  }
  std::string out =
      fmt::format("Skipped {}:\n", counted(static_cast<long long>(skipped.size()), "result"));
  for (size_t i = 0; i < std::min(reasons.size(), kNamed); ++i) {
    out += paragraph(fmt::format("{} x {}", reasons[i].second, reasons[i].first), 2);
  }
  if (reasons.size() > kNamed)
    out += fmt::format("  and {} more reasons\n", reasons.size() - kNamed);
  return out;
}

std::string warning(size_t count, size_t total, std::string_view what, std::string_view meaning,
                    std::string_view remedy) {
  std::string text = fmt::format("Warning: {} of {} {}", count,
                                 counted(static_cast<long long>(total), "result"), what);
  if (!meaning.empty()) text += fmt::format(": {}", meaning);
  if (!remedy.empty()) text += fmt::format("; {}", remedy);
  return paragraph(text + ".");
}

}  // namespace

std::string correctness_text(const Report& report) {
  const size_t total = report.records.size();
  if (total == 0) return "No results.\n";
  const Records wrong = with_status(report, Status::kWrong),
                skipped = with_status(report, Status::kSkipped),
                late = with_status(report, Status::kTimeout);
  const auto correct = static_cast<size_t>(std::count_if(
      report.records.begin(), report.records.end(),
      [](const Record& r) { return r.status == Status::kOk && r.verify.verdict == "ok"; }));
  const size_t unchecked = total - correct - wrong.size() - skipped.size() - late.size();
  std::string out;
  if (correct == total) {
    out = total == 1 ? "The result is correct.\n" : fmt::format("All {} results correct.\n", total);
  } else {
    out = fmt::format("{}: {} correct", counted(static_cast<long long>(total), "result"), correct);
    if (!wrong.empty()) out += fmt::format(", {} WRONG", wrong.size());
    if (!late.empty()) out += fmt::format(", {} cut by the time limit", late.size());
    if (!skipped.empty()) out += fmt::format(", {} skipped", skipped.size());
    if (unchecked > 0) out += fmt::format(", {} not checked (check with -c 1)", unchecked);
    out += ".\n";
  }
  out += named(wrong, [](const Record& r) { return result_name(r) + ": " + wrong_text(r); });
  out += named(late, [](const Record& r) { return result_name(r) + ": " + r.reason; });
  if (!skipped.empty()) out += skipped_text(skipped);
  return out;
}

std::string warnings_text(const Report& report) {
  std::string out;
  if (!report.complete) {
    out += paragraph(fmt::format("Warning: this report is partial{}{}.",
                                 report.partial_reason.empty() ? "" : ": ", report.partial_reason));
  }
  std::vector<std::string> flags;
  for (const Record& r : report.records) flags.insert(flags.end(), r.flags.begin(), r.flags.end());
  for (const auto& [flag, same] : grouped(flags, [](const std::string& each) { return each; })) {
    const FlagMeaning* meaning = meaning_of(flag);
    out += warning(same.size(), report.records.size(), fmt::format("flagged '{}'", flag),
                   meaning == nullptr ? "" : meaning->meaning, remedy_for(flag, report.command));
  }
  const auto bare = std::count_if(report.records.begin(), report.records.end(),
                                  [](const Record& r) { return r.time && !r.time->ci95; });
  if (bare > 0) {
    out += warning(static_cast<size_t>(bare), report.records.size(), "without a 95 % interval",
                   "it takes at least 6 samples", "raise -n or --max-time");
  }
  return out;
}

}  // namespace arb
