#include "reports/model/analyze.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

#include "reports/model/best.hpp"
#include "reports/model/crossover.hpp"

namespace arb {
namespace {

// The three whose crossings teach the law: latency of the star, bandwidth of the ring, depth of the
// tree.
constexpr std::array<std::string_view, 3> kTeaching = {"naive-root", "ring", "tree"};

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

// Old reports know the busiest port only: as if that rank did all of it both ways at once.
std::optional<double> path_bytes(const Record& record) {
  if (!record.traffic) return std::nullopt;
  const Traffic& traffic = *record.traffic;
  const int64_t busiest = std::max(traffic.max_sent_bytes, traffic.max_received_bytes);
  return static_cast<double>(traffic.path_bytes.value_or(busiest));
}

FitInput fit_input(Records records) {
  std::stable_sort(records.begin(), records.end(),
                   [](const Record* a, const Record* b) { return a->bytes < b->bytes; });
  FitInput input;
  input.ranks = records.front()->ranks;
  for (const Record* record : records) {
    const TimeStats& time = *record->time;
    if (!input.points.empty() && input.points.back().bytes == record->bytes) continue;
    input.points.push_back({record->bytes, time.median, time.ci95, time.n, path_bytes(*record)});
  }
  const Record& largest = *records.back();
  if (largest.traffic && largest.traffic->steps > 0) input.latency_steps = largest.traffic->steps;
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

struct Comparison {
  const Contender* first;
  const Contender* second;
  // Of neighbours in the best table only this overtaking is of interest, only around where one
  // follows the other.
  bool directed = false;
  double min_bytes = 0, max_bytes = 0;
};

std::vector<Comparison> comparisons(const std::vector<Contender>& contenders,
                                    const std::vector<Best>& best) {
  std::vector<Comparison> all;
  for (size_t i = 0; i < kTeaching.size(); ++i) {
    for (size_t j = i + 1; j < kTeaching.size(); ++j) {
      const Contender* first = find(contenders, kTeaching[i]);
      const Contender* second = find(contenders, kTeaching[j]);
      if (first != nullptr && second != nullptr) all.push_back({first, second});
    }
  }
  const size_t undirected = all.size();
  for (size_t i = 0; i + 1 < best.size(); ++i) {
    const Contender* first = find(contenders, best[i].algorithm);
    const Contender* second = find(contenders, best[i + 1].algorithm);
    const bool known = std::any_of(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(undirected), [&](const auto& one) {
          return std::minmax(one.first, one.second) == std::minmax(first, second);
        });
    if (known) continue;
    all.push_back({first, second, true, static_cast<double>(best[i].min_bytes),
                   static_cast<double>(best[i + 1].max_bytes)});
  }
  return all;
}

bool of_interest(const Crossover& crossover, const Comparison& comparison) {
  if (!comparison.directed || !crossover.bytes) return true;
  return crossover.from == comparison.first->algorithm &&
         *crossover.bytes >= comparison.min_bytes && *crossover.bytes <= comparison.max_bytes;
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
  for (const Comparison& comparison : comparisons(contenders, best)) {
    for (auto* crossovers : {&measured_crossovers, &fitted_crossovers}) {
      for (const Crossover& one : crossovers(*comparison.first, *comparison.second)) {
        if (of_interest(one, comparison)) put(one, representative, report.crossovers);
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
