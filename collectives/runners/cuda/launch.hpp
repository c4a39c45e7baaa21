// Starts a kernel that takes one argument by value.
#pragma once

#include <cuda_runtime.h>

namespace arb {

struct Grid {
  unsigned blocks = 1;
  unsigned threads = 1;
  bool cooperative = false;  // all blocks run at once, or the launch is refused
};

#ifdef ARB_CUDA_EMULATED
#include "cuda_emulated_launch.hpp"
#else
template <class Args>
cudaError_t launch(void (*kernel)(Args), const Args& args, const Grid& grid, cudaStream_t stream) {
  Args copy = args;
  void* pointers[] = {&copy};
  const auto* function = reinterpret_cast<const void*>(kernel);
  return grid.cooperative ? cudaLaunchCooperativeKernel(function, dim3(grid.blocks),
                                                        dim3(grid.threads), pointers, 0, stream)
                          : cudaLaunchKernel(function, dim3(grid.blocks), dim3(grid.threads),
                                             pointers, 0, stream);
}
#endif

}  // namespace arb
