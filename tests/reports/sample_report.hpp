// A report with one of everything that a writer must get right.
#pragma once

#include "reports/record.hpp"

namespace arb {

Report sample_report();

/// A correct, measured all-reduce of 64 KiB with ring on 4 ranks, for tests that change one thing.
Record sample_record();

}  // namespace arb
