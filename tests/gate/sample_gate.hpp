// A gate with a row of every result, and texts that break careless writers.
#pragma once

#include "reports/gate/gate.hpp"

namespace arb {

Gate sample_gate();
/// `rows` that pass, and nothing else.
Gate passing_gate(int rows);

}  // namespace arb
