#include "bench/known_algorithms.hpp"

#include "collectives/algorithms/registry.hpp"
#include "collectives/runners/native/registry.hpp"

namespace arb {

std::vector<NamedAlgorithm> known_algorithms() {
  std::vector<NamedAlgorithm> known;
  for (const Algorithm& row : algorithms()) {
    known.push_back({row.collective, std::string(row.name), "scheduled", std::string(row.summary)});
  }
  for (const NativeAlgorithm& row : natives()) {
    known.push_back({row.collective, std::string(row.name), "native", std::string(row.summary)});
  }
  return known;
}

std::vector<std::string> algorithm_names(std::span<const NamedAlgorithm> known,
                                         Collective collective) {
  std::vector<std::string> names;
  for (const NamedAlgorithm& row : known) {
    if (row.collective == collective) names.push_back(row.name);
  }
  return names;
}

}  // namespace arb
