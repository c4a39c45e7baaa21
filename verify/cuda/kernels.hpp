// The checking kernels. Bodies are in device/*.hpp, wrapped in kernels.cu.
#pragma once

#include <cuda_runtime.h>

#include "verify/cuda/tables.hpp"

namespace arb {

__global__ void generate_kernel(GenerateArgs args);
__global__ void poison_kernel(PoisonArgs args);
__global__ void check_kernel(CheckArgs args);

}  // namespace arb
