// What every collective is on one rank.
#pragma once

#include "collectives/schedule/lane_builder.hpp"

namespace arb {

inline Schedule single_rank() {
  Schedule schedule(1, 1);
  LaneBuilder(schedule, 0).copy(input(0), output(0));
  return schedule;
}

}  // namespace arb
