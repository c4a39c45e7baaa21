#include "verify/cuda/device/check.hpp"
#include "verify/cuda/device/generate.hpp"
#include "verify/cuda/kernels.hpp"

namespace arb {

__global__ void generate_kernel(GenerateArgs args) { generate_elements(args, Thread{}); }
__global__ void poison_kernel(PoisonArgs args) { poison_bytes(args, Thread{}); }
__global__ void check_kernel(CheckArgs args) { check_elements(args, Thread{}); }

}  // namespace arb
