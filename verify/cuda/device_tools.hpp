// Checking messages where they lie when that is the memory of GPUs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "verify/buffer_tools.hpp"

namespace arb {

/// device_of_rank: the CUDA ordinal whose kernels are to read and write a rank's buffers; kNone:
/// they are plain memory of this process, or elsewhere (null in the views). Inputs are generated
/// and outputs compared on the GPUs, bit for bit, by the functions that the host uses. A random
/// share and whatever is wrong is judged by the host too (check_part()); a contradiction is a wrong
/// verdict, "device check". All calls return when the GPU is done, and may be made by several
/// threads. Throws Error{kEnvironment}: no such device, no memory, or a build without CUDA.
std::unique_ptr<BufferTools> gpu_buffer_tools(std::vector<int> device_of_rank);

}  // namespace arb
