// The least traffic that an AllReduce has, as an operation of GPUs: what a runner's
// make_copy_limit() gives.
#pragma once

#include <memory>

#include "collectives/runners/operation.hpp"

namespace arb {

/// Every rank copies its input to its output, unless they are the same.
std::unique_ptr<Operation> make_gpu_copy(const Shape& shape);

}  // namespace arb
