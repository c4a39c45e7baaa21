// Every scheduled algorithm: one file, one row here, one line in CMake.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collectives/schedule/collective.hpp"
#include "collectives/schedule/schedule.hpp"

namespace arb {

struct Algorithm {
  Collective collective;
  std::string_view name;     // "ring"
  std::string_view summary;  // one line: picture in words, steps, bytes, when it wins
  Schedule (*build)(int ranks, int root);
  std::optional<std::string> (*unsupported)(int ranks) = nullptr;  // the reason, if it cannot
  int min_slots = 1;  // slots per FIFO below which it deadlocks (prove shows the cycle)
};

std::span<const Algorithm> algorithms();

/// nullptr if there is none of that name for the collective.
const Algorithm* find_algorithm(Collective collective, std::string_view name);

}  // namespace arb
