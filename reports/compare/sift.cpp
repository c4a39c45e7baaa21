#include "reports/compare/sift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reports/compare/state.hpp"
#include "reports/flags.hpp"

namespace arb {
namespace {

constexpr std::array kDoubtful = {flag::kOversubscribed, flag::kBusyMachine, flag::kThrottled,
                                  flag::kNoisy};

/// The first flag that forbids a verdict; empty: none.
std::string_view doubt(const Record& record) {
  for (const std::string_view each : kDoubtful) {
    if (std::find(record.flags.begin(), record.flags.end(), each) != record.flags.end())
      return each;
  }
  return "";
}

Records without_doubtful(const Records& starts, std::string& why, std::string_view side) {
  Records left = starts;
  std::string_view reason;
  for (const Record*& start : left) {
    if (start != nullptr && start->status != Status::kOk) start = nullptr;
    if (start == nullptr || doubt(*start).empty()) continue;
    reason = doubt(*start);
    start = nullptr;
  }
  if (starts_of(left) == 0 && !reason.empty() && why.empty()) {
    why = fmt::format("{}, {}: {}; {}", reason, side, meaning_of(reason)->meaning,
                      remedy_for(reason, {}));
  }
  return left;
}

Sifted without_doubtful(const MatchedCase& row) {
  Sifted sifted;
  sifted.fresh = without_doubtful(row.fresh, sifted.why, "now");
  sifted.base = without_doubtful(row.base, sifted.why, "in the baseline");
  return sifted;
}

}  // namespace

int64_t starts_of(const Records& records) {
  return std::count_if(records.begin(), records.end(),
                       [](const Record* each) { return each != nullptr; });
}

Sifted sift(const MatchedCase& row) {
  Sifted sifted = without_doubtful(row);
  if (!sifted.why.empty()) return sifted;
  const StateChoice state = choose_state(sifted.base, sifted.fresh);
  for (size_t i = 0; i < sifted.base.size(); ++i) {
    if (!state.base[i]) sifted.base[i] = nullptr;
  }
  for (size_t i = 0; i < sifted.fresh.size(); ++i) {
    if (!state.fresh[i]) sifted.fresh[i] = nullptr;
  }
  sifted.why = state.why;
  return sifted;
}

Sifted sift_pairs(const MatchedCase& row) {
  Sifted sifted = without_doubtful(row);
  bool unlike = false;
  for (size_t i = 0; i < sifted.base.size(); ++i) {
    const Record*& base = sifted.base[i];
    const Record*& fresh = sifted.fresh[i];
    const bool both = base != nullptr && fresh != nullptr;
    unlike = unlike || (both && !same_state(*base, *fresh));
    if (!both || !same_state(*base, *fresh)) base = fresh = nullptr;
  }
  if (starts_of(sifted.base) == 0 && sifted.why.empty()) {
    sifted.why = unlike ? "the machine changed its state within every pair (the time of a cache "
                          "line from core to core); measure again"
                        : "no pair has it on both sides; measure again";
  }
  return sifted;
}

}  // namespace arb
