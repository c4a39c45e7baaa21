// Who was late, from who waited long for whom.
#pragma once

#include <span>

#include "collectives/schedule/schedule.hpp"

namespace arb {

/// The longest single wait of a rank during one operation.
struct Wait {
  int for_rank = kNone;  // kNone: it did not wait long
  double seconds = 0;
};

/// The rank that was waited for, directly or through others, without waiting about as long itself;
/// kNone if nobody waited long. waits: [rank].
int find_straggler(std::span<const Wait> waits);

}  // namespace arb
