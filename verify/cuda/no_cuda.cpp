// A build without CUDA.
#include "collectives/error.hpp"
#include "verify/cuda/device_tools.hpp"

namespace arb {

std::unique_ptr<BufferTools> gpu_buffer_tools(std::vector<int> /*device_of_rank*/) {
  throw Error(ErrorKind::kEnvironment,
              std::string("this build has no CUDA backend: ") + ARB_CUDA_REASON);
}

}  // namespace arb
