// Reports made for tests of `tune`: a record is one line.
#pragma once

#include <string>

#include "reports/record.hpp"

namespace arb {

/// All-reduce of float32, sum, out of place, hot. `half`: relative half-width of the interval.
Record tuned_record(const std::string& algorithm, int64_t ranks, int64_t bytes, double seconds,
                    double half = 0.02);

/// Open MPI on 2 and 4 ranks: something of each kind of choice.
Report openmpi_report();

/// NCCL on 8 ranks of 1 node and on 16 of 2.
Report nccl_report();

}  // namespace arb
