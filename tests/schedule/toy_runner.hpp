// A second, independent interpreter of schedules: runs them for real, on numbers, in random
// interleavings.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/schedule/collective.hpp"
#include "collectives/schedule/facts.hpp"
#include "collectives/schedule/schedule.hpp"

namespace arb {

struct ToyCase {
  Collective collective;
  int root = 0;
  int slots = 2;
  bool in_place = false;
  int tiles = 3;
};

/// Runs the schedule with random weights as inputs (their sum mod 2^64 tells which inputs a result
/// combines) and lanes advanced in the random order of `seed`. Empty if every result is right, else
/// what went wrong: "deadlock", "wrong result ...", or, with `facts`, "direct ..." if a buffer that
/// should be stable until the receiver has read it was overwritten.
std::string toy_run(const Schedule& schedule, const ToyCase& spec, uint64_t seed,
                    const Facts* facts = nullptr);

}  // namespace arb
