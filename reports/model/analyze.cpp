#include "reports/model/analyze.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>

#include "reports/model/best.hpp"
#include "reports/model/crossover.hpp"

namespace arb {
namespace {

// The three whose crossings teach the law: latency of the star, bandwidth of the ring, depth of the
// tree.
constexpr std::array<std::string_view, 3> kTeaching = {"naive-root", "ring", "double-tree"};

auto group_of(const Record& record) {
  return std::tie(record.backend, record.collective, record.ranks, record.nodes, record.in_place,
                  record.dtype, record.op, record.root, record.cache, record.unalign);
}

using Records = std::vector<const Record*>;

bool usable(const Record& record) {
  return record.status == Status::kOk && record.time && record.time->n > 0 && record.count > 0;
}

// Groups and, within them, algorithms stay in the order in which they were measured.
template <typename Same>
std::vector<Records> split(const Records& records, const Same& same) {
  std::vector<Records> parts;
  for (const Record* record : records) {
    const auto part = std::find_if(parts.begin(), parts.end(),
                                   [&](const Records& one) { return same(*one.front(), *record); });
    if (part == parts.end()) {
      parts.push_back({record});
    } else {
      part->push_back(record);
    }
  }
  return parts;
}

FitInput fit_input(Records records) {
  std::stable_sort(records.begin(), records.end(),
                   [](const Record* a, const Record* b) { return a->bytes < b->bytes; });
  FitInput input;
  input.ranks = records.front()->ranks;
  for (const Record* record : records) {
    const TimeStats& time = *record->time;
    if (!input.points.empty() && input.points.back().bytes == record->bytes) continue;
    input.points.push_back({record->bytes, time.median, time.ci95, time.n});
  }
  // Chunks of short messages are uneven, so only the largest size tells the traffic per byte.
  const Record& largest = *records.back();
  if (largest.traffic) {
    const Traffic& traffic = *largest.traffic;
    const int64_t busiest = std::max(traffic.max_sent_bytes, traffic.max_received_bytes);
    if (traffic.steps > 0) input.latency_steps = traffic.steps;
    if (busiest > 0 && largest.bytes > 0) {
      input.traffic_factor = static_cast<double>(busiest) / static_cast<double>(largest.bytes);
    }
  }
  return input;
}

std::vector<Contender> contenders_of(const Records& group) {
  const auto same_algorithm = [](const Record& a, const Record& b) {
    return a.algorithm == b.algorithm;
  };
  std::vector<Contender> contenders;
  for (const Records& records : split(group, same_algorithm)) {
    FitInput input = fit_input(records);
    const FitResult fitted = fit_series(input);
    std::erase_if(input.points, [](const Point& point) {
      return !std::isfinite(point.seconds) || point.seconds <= 0;
    });
    contenders.push_back({records.front()->algorithm, input.points, fitted});
  }
  return contenders;
}

const Contender* find(const std::vector<Contender>& contenders, std::string_view algorithm) {
  const auto found =
      std::find_if(contenders.begin(), contenders.end(),
                   [&](const Contender& contender) { return contender.algorithm == algorithm; });
  return found == contenders.end() ? nullptr : &*found;
}

using Pair = std::pair<const Contender*, const Contender*>;

std::vector<Pair> pairs_to_compare(const std::vector<Contender>& contenders,
                                   const std::vector<Best>& best) {
  std::vector<Pair> pairs;
  std::set<Pair> seen;
  const auto add = [&](const Contender* a, const Contender* b) {
    if (a == nullptr || b == nullptr || a == b || seen.count({b, a}) > 0) return;
    if (seen.insert({a, b}).second) pairs.emplace_back(a, b);
  };
  for (size_t i = 0; i + 1 < best.size(); ++i) {
    add(find(contenders, best[i].algorithm), find(contenders, best[i + 1].algorithm));
  }
  for (size_t i = 0; i < kTeaching.size(); ++i) {
    for (size_t j = i + 1; j < kTeaching.size(); ++j) {
      add(find(contenders, kTeaching[i]), find(contenders, kTeaching[j]));
    }
  }
  return pairs;
}

template <typename Result>
void put(Result result, const Record& of_group, std::vector<Result>& into) {
  result.backend = of_group.backend;
  result.collective = of_group.collective;
  result.ranks = of_group.ranks;
  result.in_place = of_group.in_place;
  into.push_back(std::move(result));
}

void analyze_group(const Records& group, Report& report) {
  const Record& representative = *group.front();
  const std::vector<Contender> contenders = contenders_of(group);
  for (const Contender& contender : contenders) {
    Fit fit = contender.fitted.fit;
    fit.algorithm = contender.algorithm;
    put(std::move(fit), representative, report.fits);
  }
  const std::vector<Best> best = best_ranges(contenders);
  for (const Best& one : best) put(one, representative, report.best);
  for (const auto& [first, second] : pairs_to_compare(contenders, best)) {
    for (auto* crossovers : {&measured_crossovers, &fitted_crossovers}) {
      for (const Crossover& one : crossovers(*first, *second)) {
        put(one, representative, report.crossovers);
      }
    }
  }
}

}  // namespace

void analyze(Report& report) {
  report.fits.clear();
  report.crossovers.clear();
  report.best.clear();
  Records records;
  for (const Record& record : report.records) {
    if (usable(record)) records.push_back(&record);
  }
  const auto same_group = [](const Record& a, const Record& b) {
    return group_of(a) == group_of(b);
  };
  for (const Records& group : split(records, same_group)) analyze_group(group, report);
}

}  // namespace arb
