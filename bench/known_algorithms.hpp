// Every algorithm a user can name, scheduled and native, from the two registries.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "collectives/schedule/collective.hpp"

namespace arb {

struct NamedAlgorithm {
  Collective collective;
  std::string name;          // "ring"
  std::string kind;          // "scheduled" | "native"
  std::string summary;       // one line
  std::string backend = "";  // the only one that has it; empty: all
};

/// All collectives, in registry order.
std::vector<NamedAlgorithm> known_algorithms();

/// The names that `collective` has, in the order of `known`.
std::vector<std::string> algorithm_names(std::span<const NamedAlgorithm> known,
                                         Collective collective);

/// The same, but only those that `backend` has.
std::vector<std::string> names_for(std::span<const NamedAlgorithm> known, Collective collective,
                                   const std::string& backend);

/// Throws Error{kUsage} if an algorithm was asked for that only another backend has.
void require_algorithms_of(const std::string& backend, const Options& options);

}  // namespace arb
