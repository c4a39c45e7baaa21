#include "reports/compare/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "reports/units.hpp"

namespace arb {
namespace {

constexpr double kSameState = 1.2;

bool near(double a, double b) { return a <= b * kSameState && b <= a * kSameState; }

/// Missing: not known.
std::optional<Interval> handoff(const Record* record) {
  if (record == nullptr || !record->handoff_s) return std::nullopt;
  const auto [before, after] = *record->handoff_s;
  const bool known = std::isfinite(before) && std::isfinite(after) && before > 0 && after > 0;
  return known ? record->handoff_s : std::nullopt;
}

bool was_in(const Record* record, std::optional<double> state) {
  if (record == nullptr) return false;
  const auto own = handoff(record);
  if (!own) return true;
  const bool steady = near(own->first, own->second);
  return steady && (!state || (near(own->first, *state) && near(own->second, *state)));
}

std::vector<bool> in_state(const Records& starts, std::optional<double> state) {
  std::vector<bool> result;
  for (const Record* start : starts) result.push_back(was_in(start, state));
  return result;
}

int64_t count(const std::vector<bool>& starts) {
  return std::count(starts.begin(), starts.end(), true);
}

std::optional<double> middle(const Records& starts) {
  std::vector<double> known;
  for (const Record* start : starts) {
    if (const auto own = handoff(start)) known.push_back(std::sqrt(own->first * own->second));
  }
  if (known.empty()) return std::nullopt;
  const auto half = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::nth_element(known.begin(), half, known.end());
  return *half;
}

std::string explain(const Records& base, const Records& fresh) {
  const auto now = middle(fresh), then = middle(base);
  const bool unlike = now && then && !near(*now, *then);
  if (!unlike) {
    return "the state of the machine changed meanwhile (the time of a cache line from core to "
           "core); measure again, or use --ab";
  }
  return fmt::format(
      "the machine is in another state: a cache line takes {} between cores, {} in the baseline; "
      "measure again, or use --ab",
      about_time(*now), about_time(*then));
}

}  // namespace

StateChoice choose_state(const Records& base, const Records& fresh) {
  std::vector<std::optional<double>> states;
  for (const Record* start : base) {
    const auto own = handoff(start);
    if (own && was_in(start, std::nullopt)) states.push_back(std::sqrt(own->first * own->second));
  }
  if (states.empty()) states.emplace_back();
  StateChoice best;
  auto best_score = std::make_tuple(int64_t{-1}, int64_t{-1}, int64_t{-1});
  for (const auto& state : states) {
    StateChoice choice{in_state(base, state), in_state(fresh, state), ""};
    const int64_t then = count(choice.base), now = count(choice.fresh);
    const auto score = std::make_tuple(std::min(then, now), then, now);
    if (score <= best_score) continue;
    best_score = score;
    best = std::move(choice);
  }
  if (std::get<0>(best_score) == 0) best.why = explain(base, fresh);
  return best;
}

bool same_state(const Record& first, const Record& second) {
  const auto a = handoff(&first), b = handoff(&second);
  if (!was_in(&first, std::nullopt) || !was_in(&second, std::nullopt)) return false;
  if (!a || !b) return true;
  return std::max(a->first, a->second) <= kSameState * std::min(b->first, b->second) &&
         std::max(b->first, b->second) <= kSameState * std::min(a->first, a->second);
}

}  // namespace arb
