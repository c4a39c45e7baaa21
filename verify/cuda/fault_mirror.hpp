// Faults for buffers on GPUs: injected into copies, which are then written back.
#pragma once

#include <vector>

#include "verify/cuda/device_copies.hpp"
#include "verify/inject.hpp"

namespace arb {

/// As apply(). Copies every real part, and kGuardBytes behind it.
void apply_on_gpus(const Fault& fault, const CheckSpec& spec, const std::vector<MutableRank>& ranks,
                   const DeviceCopies& copies);

}  // namespace arb
