#include "bench/known_algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/algorithms/registry.hpp"
#include "collectives/error.hpp"
#include "collectives/runners/cuda/nccl_list.hpp"
#include "collectives/runners/mpi/openmpi_list.hpp"
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
  for (const OpenMpiAlgorithm& row : openmpi_algorithms()) {
    known.push_back(
        {row.collective, std::string(row.name), "native", std::string(row.summary), "mpi"});
  }
  for (const NcclAlgorithm& row : nccl_algorithms()) {
    known.push_back(
        {row.collective, std::string(row.name), "native", std::string(row.summary), "cuda"});
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

std::vector<std::string> names_for(std::span<const NamedAlgorithm> known, Collective collective,
                                   const std::string& backend) {
  std::vector<std::string> names;
  for (const NamedAlgorithm& row : known) {
    const bool has = row.backend.empty() || row.backend == backend;
    if (row.collective == collective && has) names.push_back(row.name);
  }
  return names;
}

void require_algorithms_of(const std::string& backend, const Options& options) {
  const std::vector<NamedAlgorithm> known = known_algorithms();
  const std::vector<std::string> has = names_for(known, options.collective, backend);
  for (const std::string& wanted : options.algorithms) {
    if (std::find(has.begin(), has.end(), wanted) != has.end()) continue;
    const auto row = std::find_if(known.begin(), known.end(),
                                  [&](const NamedAlgorithm& each) { return each.name == wanted; });
    const bool cuda = row != known.end() && row->backend == "cuda";
    const char* const remedy = cuda                ? "add --backend cuda"
                               : backend == "cuda" ? "drop --backend cuda"
                                                   : "start it with mpirun -np N (or srun)";
    throw Error(ErrorKind::kUsage,
                fmt::format("--algorithms {}: the {} backend has no such algorithm; {}", wanted,
                            backend, remedy));
  }
}

}  // namespace arb
