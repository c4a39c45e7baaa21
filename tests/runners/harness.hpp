// Runs one operation on known data and checks every element.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "bench/measure/checking.hpp"
#include "collectives/algorithms/registry.hpp"
#include "collectives/runners/host/scheduled.hpp"
#include "collectives/runners/host/team.hpp"
#include "collectives/runners/native/registry.hpp"

namespace arb {

/// The workers are shared by all tests of the program: two, whatever the machine has.
Team& shared_team();

/// A scheduled algorithm with these slots, or a native one (which takes `stream` only).
Prepared make(const std::string& algorithm, const Shape& shape, bool in_place,
              const SlotConfig& config);

/// Every (collective, algorithm) of both registries.
struct Named {
  Collective collective;
  std::string algorithm;
};
std::string identifier(const Named& named);  // "all_reduce_ring"
void PrintTo(const Named& named, std::ostream* out);
std::vector<Named> every_algorithm();

struct Ran {
  Verdict verdict;
  std::string context;  // for messages
};

/// `times` runs with fresh data each: exact and random in turn.
Ran run_checked(Team& team, const Prepared& prepared, const Shape& shape, bool in_place,
                int unalign = 0, int times = 2);

}  // namespace arb
