#include "reports/accept/demands.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/accept/profile_rules.hpp"
#include "reports/units.hpp"

namespace arb {

bool covers(const Limit& limit, const CaseKey& key) {
  return limit.algorithm == key.algorithm && (!limit.ranks || *limit.ranks == key.ranks) &&
         key.bytes >= limit.min_bytes && (!limit.max_bytes || key.bytes <= *limit.max_bytes);
}

std::optional<double> allowed_ratio(const Profile& profile, Stage stage, const CaseKey& key) {
  std::optional<double> strictest;
  const auto demand = [&](double ratio) { strictest = std::min(ratio, strictest.value_or(ratio)); };
  for (const Limit& limit : profile.limits) {
    if (!relative_holds_in(limit, stage) || !covers(limit, key)) continue;
    if (limit.max_time_of_fleet) demand(*limit.max_time_of_fleet);
    // Of the same case: half the bandwidth is twice the time.
    if (limit.min_busbw_of_fleet) demand(1 / *limit.min_busbw_of_fleet);
  }
  return strictest;
}

std::optional<Absolute> absolute_demand(const Profile& profile, Stage stage, const CaseKey& key,
                                        const Cell& cell, std::optional<double> copy_limit) {
  std::optional<Absolute> strictest;
  const auto demand = [&](double badness, std::string words, const Limit& limit) {
    if (strictest && strictest->badness >= badness) return;
    strictest = Absolute{badness, std::move(words), limit.source};
  };
  for (const Limit& limit : profile.limits) {
    if (!holds_in(limit, stage) || !covers(limit, key)) continue;
    if (limit.min_busbw_gbps && cell.busbw) {
      demand(*limit.min_busbw_gbps / *cell.busbw,
             fmt::format("at least {} demanded", about_bandwidth(*limit.min_busbw_gbps * 1e9)),
             limit);
    }
    if (limit.min_busbw_of_limit && cell.busbw && copy_limit) {
      const double floor = *limit.min_busbw_of_limit * *copy_limit;
      demand(floor / *cell.busbw,
             fmt::format("at least {} demanded, {} of the copy limit of {}",
                         about_bandwidth(floor * 1e9), percent(*limit.min_busbw_of_limit),
                         about_bandwidth(*copy_limit * 1e9)),
             limit);
    }
    if (limit.max_time_s) {
      demand(cell.seconds / *limit.max_time_s,
             fmt::format("at most {} allowed", about_time(*limit.max_time_s)), limit);
    }
  }
  return strictest;
}

}  // namespace arb
