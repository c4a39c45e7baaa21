// The roof that ranks in one memory live under, as an operation: every input is read once and every
// output written once.
#pragma once

#include <memory>

#include "collectives/runners/operation.hpp"

namespace arb {

/// Every rank copies its input to its output, past the caches.
std::unique_ptr<Operation> make_copy_operation(const Shape& shape);

}  // namespace arb
