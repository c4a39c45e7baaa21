// A schedule as flat tables, cut into the tiles of one message: what a virtual clock walks through.
#pragma once

#include <cstddef>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "collectives/schedule/tiling.hpp"

namespace arb {

struct FlatStep {
  int in = kNone, out = kNone;       // FIFOs
  int after = kNone, marks = kNone;  // events, numbered over all ranks
  double bytes = 0, last_bytes = 0;  // of the message it sends, in a full and in the last tile
};

struct FlatLane {
  size_t rank = 0;
  size_t begin = 0, end = 0;  // of the steps
  size_t group = 0;
};

struct FlatFifo {
  int sender = kNone, receiver = kNone;  // lanes
};

/// Lanes without steps are left out. Lanes that a chain of FIFOs connects are one group: its lanes
/// are never more than some slots apart. Groups share ports, and one may hold back another by an
/// event, but never catch up with it (the sums of a tree can be any number of tiles ahead of its
/// results, and one tree ahead of the other).
struct FlatSchedule {
  std::vector<FlatStep> steps;
  std::vector<FlatLane> lanes;
  std::vector<size_t> first_lane;  // [rank], and one more
  std::vector<FlatFifo> fifos;
  size_t events = 0;
  size_t groups = 0;
};

/// Throws Error{kInternal} if sends and receives do not match: the schedule is not proved.
FlatSchedule flatten(const Schedule& schedule, const Tiling& tiling, size_t element_bytes);

}  // namespace arb
