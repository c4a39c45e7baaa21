// From records to fits, crossovers and the table of the best.
#pragma once

#include "reports/record.hpp"

namespace arb {

// Replaces report.fits, crossovers and best by what the records say. Used are records that are ok,
// have a time and at least one element; compared are those of one backend, collective, rank and
// node count, placement, dtype, op, root, cache policy and alignment. If a size was measured twice,
// the first counts. Crossovers: between neighbours of the best table, and between any two of
// naive-root, ring and double-tree. Pairs that never cross give no entry. Throws nothing of its
// own; a report without usable records gets three empty lists.
void analyze(Report& report);

}  // namespace arb
