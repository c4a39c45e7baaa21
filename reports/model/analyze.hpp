// From records to fits, crossovers and the table of the best.
#pragma once

#include "reports/record.hpp"

namespace arb {

// Replaces report.fits, crossovers and best by what the records say. Used are records that are ok,
// have a time and at least one element; compared are those of one backend, collective, rank and
// node count, placement, dtype, op, root, cache policy and alignment. If a size was measured twice,
// the first counts. Crossovers: all between any two of naive-root, ring and tree; between other
// neighbours of the best table the one where the second overtakes the first. Pairs that never cross
// give no entry.
void analyze(Report& report);

}  // namespace arb
