#include "reports/accept/drift.hpp"

#include <algorithm>

#include "reports/accept/robust.hpp"

namespace arb {

std::vector<Drift> drifts_of(const MeasuredGroup& soak) {
  std::vector<const GroupResult*> results = soak.results;
  std::stable_sort(results.begin(), results.end(),
                   [](const auto* a, const auto* b) { return a->started_s < b->started_s; });
  std::map<CaseKey, std::vector<double>> medians;
  for (const GroupResult* result : results) {
    for (const Record& record : result->records) {
      if (!record.time || !(record.time->median > 0)) continue;
      medians[{record.bytes, record.algorithm, record.ranks, kind_of(record)}].push_back(
          record.time->median);
    }
  }
  std::vector<Drift> drifts;
  for (const auto& [key, all] : medians) {
    Drift& drift = drifts.emplace_back();
    drift.key = key;
    drift.repeats = static_cast<long long>(all.size());
    if (drift.repeats < kFewestForDrift) continue;
    const auto quarter = static_cast<std::ptrdiff_t>(all.size() / 4);
    drift.first = lower_median({all.begin(), all.begin() + quarter});
    drift.last = lower_median({all.end() - quarter, all.end()});
    drift.share = drift.last / drift.first - 1;
  }
  return drifts;
}

}  // namespace arb
