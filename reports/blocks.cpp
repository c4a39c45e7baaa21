#include "reports/blocks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {

Records pointers(const std::vector<Record>& records) {
  Records result;
  for (const Record& record : records) result.push_back(&record);
  return result;
}

std::string block_title(const Record& r) {
  std::string title = fmt::format("{} {}, {}", r.backend, r.collective, counted(r.ranks, "rank"));
  if (r.nodes > 1) title += fmt::format(" on {}", counted(r.nodes, "node"));
  if (r.gpus) title += fmt::format(" on {}", counted(*r.gpus, "GPU"));
  if (r.transport != "direct" && !r.transport.empty()) title += " by " + r.transport;
  title += fmt::format(", {}{}{}", r.dtype, r.op.empty() ? "" : " ", r.op);
  if (r.root) title += fmt::format(", root {}", *r.root);
  title += r.in_place ? ", in place" : ", out of place";
  if (!r.cache.empty()) title += fmt::format(", {} cache", r.cache);
  if (!r.launch.empty()) title += fmt::format(", {} launch", r.launch);
  if (r.unalign != 0) title += fmt::format(", off by {}", counted(r.unalign, "element"));
  return printable(title);
}

namespace {

struct BusFactor {
  std::string_view text;
  double (*value)(double ranks);
};

const BusFactor* bus_factor_of(std::string_view collective) {
  static constexpr BusFactor kTwice = {"2(n-1)/n", [](double n) { return 2 * (n - 1) / n; }};
  static constexpr BusFactor kOnce = {"(n-1)/n", [](double n) { return (n - 1) / n; }};
  static constexpr BusFactor kWhole = {"1", [](double) { return 1.0; }};
  if (collective == "all-reduce") return &kTwice;
  if (collective == "reduce-scatter" || collective == "all-gather") return &kOnce;
  if (collective == "broadcast" || collective == "reduce") return &kWhole;
  return nullptr;
}

}  // namespace

std::string_view bus_factor_text(std::string_view collective) {
  const BusFactor* const factor = bus_factor_of(collective);
  return factor != nullptr ? factor->text : "";
}

std::optional<double> bus_factor(std::string_view collective, int64_t ranks) {
  const BusFactor* const factor = bus_factor_of(collective);
  if (factor == nullptr || ranks < 2) return std::nullopt;
  return factor->value(static_cast<double>(ranks));
}

std::string label(const Record& record, const Records& others) {
  const bool ambiguous = std::any_of(others.begin(), others.end(), [&](const Record* other) {
    return other->algorithm == record.algorithm && other->protocol != record.protocol;
  });
  return printable(ambiguous ? record.algorithm + "/" + record.protocol : record.algorithm);
}

std::optional<double> half_width(const TimeStats& time) {
  if (!time.ci95 || time.median <= 0) return std::nullopt;
  const double width =
      std::max(time.ci95->second - time.median, time.median - time.ci95->first) / time.median;
  return std::isfinite(width) ? std::optional(width) : std::nullopt;
}

bool is_wrong(const Record& record) {
  return record.status == Status::kWrong || record.verify.wrong > 0 ||
         record.verify.verdict == "wrong";
}

bool usable(const Record& record) {
  return record.status == Status::kOk && record.verify.wrong == 0 && record.time &&
         std::isfinite(record.time->median) && record.time->median > 0;
}

const Record* fastest(const Records& records) {
  const Record* best = nullptr;
  for (const Record* record : records) {
    if (usable(*record) && (best == nullptr || record->time->median < best->time->median))
      best = record;
  }
  return best;
}

bool tied(const Record& a, const Record& b) {
  if (!a.time->ci95 || !b.time->ci95) return false;
  return a.time->ci95->first <= b.time->ci95->second && b.time->ci95->first <= a.time->ci95->second;
}

std::string wrong_text(const Record& record) {
  const Verification& verify = record.verify;
  std::string text = fmt::format("WRONG {}", counted(verify.wrong, "element"));
  if (verify.index) text += fmt::format(", first at index {}", *verify.index);
  if (verify.rank) text += fmt::format("{} rank {}", verify.index ? " of" : ", at", *verify.rank);
  if (!verify.wanted.empty() || !verify.got.empty()) {
    text += fmt::format(": wanted {}, got {}", verify.wanted, verify.got);
  }
  std::string how =
      verify.ulps && std::isfinite(*verify.ulps) ? shortest(*verify.ulps) + " ulps" : "";
  if (!verify.check.empty()) how += (how.empty() ? "" : ", ") + verify.check;
  if (!how.empty()) text += fmt::format(" ({})", how);
  if (!record.reason.empty() && record.reason != verify.check) text += "; " + record.reason;
  return printable(text);
}

}  // namespace arb
