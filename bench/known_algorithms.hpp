// Every algorithm a user can name, scheduled and native, from the two registries.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/schedule/collective.hpp"

namespace arb {

struct NamedAlgorithm {
  Collective collective;
  std::string name;     // "ring"
  std::string kind;     // "scheduled" | "native"
  std::string summary;  // one line
};

/// All collectives, in registry order.
std::vector<NamedAlgorithm> known_algorithms();

/// The names that `collective` has, in the order of `known`.
std::vector<std::string> algorithm_names(std::span<const NamedAlgorithm> known,
                                         Collective collective);

}  // namespace arb
