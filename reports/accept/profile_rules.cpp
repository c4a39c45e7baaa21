#include "reports/accept/profile_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/units.hpp"

namespace arb {
namespace {

std::string option(const StagePlan& plan, std::string_view name) {
  for (const auto& [key, value] : plan.options) {
    if (key == name) return value;
  }
  return "";
}

/// Is `word` one of the items of "a,b,c"?
bool lists(std::string_view items, std::string_view word) {
  while (true) {
    const size_t comma = items.find(',');
    if (items.substr(0, comma) == word) return true;
    if (comma == std::string_view::npos) return false;
    items.remove_prefix(comma + 1);
  }
}

bool measures(const StagePlan& plan, const std::string& algorithm) {
  const std::string only = option(plan, "algorithms");
  return algorithm.empty() || only.empty() || lists(only, algorithm);
}

}  // namespace

bool holds_in(const Limit& limit, Stage stage) {
  return limit.stage ? *limit.stage == stage : stage != Stage::kAlone;
}

bool relative_holds_in(const Limit& limit, Stage stage) {
  return holds_in(limit, stage) && stage != Stage::kAll && stage != Stage::kSoak;
}

bool is_relative(const Limit& limit) { return limit.min_busbw_of_fleet || limit.max_time_of_fleet; }

bool is_absolute(const Limit& limit) {
  return limit.min_busbw_gbps || limit.min_busbw_of_limit || limit.max_time_s;
}

const StagePlan* plan_of(const Profile& profile, Stage stage) {
  const auto at = std::find_if(profile.stages.begin(), profile.stages.end(),
                               [&](const StagePlan& plan) { return plan.stage == stage; });
  return at == profile.stages.end() ? nullptr : &*at;
}

std::string describe(const Limit& limit) {
  std::string text(limit.stage ? name(*limit.stage) : "every stage");
  if (!limit.algorithm.empty()) text += ", " + limit.algorithm;
  if (limit.ranks) text += fmt::format(", {} ranks", *limit.ranks);
  if (limit.max_bytes) {
    text += fmt::format(", {} to {}", exact_size(limit.min_bytes), exact_size(*limit.max_bytes));
  } else if (limit.min_bytes > 0) {
    text += fmt::format(", from {} on", exact_size(limit.min_bytes));
  }
  return text;
}

std::string without_effect(const Limit& limit, const Profile& profile) {
  if (!is_relative(limit) && !is_absolute(limit)) {
    return "nothing is demanded; give min_busbw_gbps, max_time_us, min_busbw_of_limit, "
           "min_busbw_of_fleet or max_time_of_fleet";
  }
  if (limit.max_bytes && *limit.max_bytes < limit.min_bytes) {
    return "max_bytes lies below min_bytes: no size is within";
  }
  if (limit.stage && plan_of(profile, *limit.stage) == nullptr) {
    return fmt::format("no stage measures it: \"stages\" has no \"{}\"", name(*limit.stage));
  }
  const auto any = [&](auto holds) {
    return std::any_of(profile.stages.begin(), profile.stages.end(), [&](const StagePlan& plan) {
      return holds(limit, plan.stage) && measures(plan, limit.algorithm);
    });
  };
  if (!any(holds_in)) {
    return limit.algorithm.empty()
               ? "no stage measures it: without \"stage\" it holds in every stage but \"alone\""
               : fmt::format("no stage measures it: '{}' is not among their \"algorithms\"",
                             limit.algorithm);
  }
  if (is_relative(limit) && !any(relative_holds_in)) {
    return "there is nothing to compare with: only \"alone\", \"pairs\" and \"groups\" measure "
           "parts of the fleet beside each other; demand min_busbw_gbps or max_time_us instead";
  }
  if (limit.min_busbw_of_limit && plan_of(profile, Stage::kAlone) == nullptr) {
    return "min_busbw_of_limit needs the copy limit of each unit, which the stage \"alone\" "
           "measures; add it to \"stages\"";
  }
  return "";
}

std::string without_effect(const Profile& profile) {
  if (profile.min_copy_of_fleet && plan_of(profile, Stage::kAlone) == nullptr) {
    return "min_copy_of_fleet needs the stage \"alone\"; add it to \"stages\"";
  }
  if (profile.max_drift && plan_of(profile, Stage::kSoak) == nullptr) {
    return "max_drift needs the stage \"soak\"; add it to \"stages\"";
  }
  if (profile.max_straggler_share && plan_of(profile, Stage::kPairs) == nullptr) {
    return "max_straggler_share needs the stage \"pairs\"; add it to \"stages\"";
  }
  return "";
}

}  // namespace arb
