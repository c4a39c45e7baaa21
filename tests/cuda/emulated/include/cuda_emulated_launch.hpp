// The launch() of launch.hpp for emulated GPUs; included there, inside namespace arb.
#pragma once

namespace emulated {

/// A kernel without its type, its argument and the one way to bring them together again.
struct KernelCall {
  const void* function = nullptr;
  void (*invoke)(const void* function, const void* argument) = nullptr;
  const void* argument = nullptr;  // copied before the launch returns
  size_t argument_bytes = 0;
  const char* signature = "";  // names the kernel where its symbol is not to be had
};

cudaError_t launch_kernel(const KernelCall& call, unsigned blocks, unsigned threads,
                          bool cooperative, cudaStream_t stream);

}  // namespace emulated

template <class Args>
cudaError_t launch(void (*kernel)(Args), const Args& args, const Grid& grid, cudaStream_t stream) {
  static_assert(__is_trivially_copyable(Args) && alignof(Args) <= 16 && sizeof(Args) <= 32764);
  emulated::KernelCall call;
  call.function = reinterpret_cast<const void*>(kernel);
  call.invoke = [](const void* function, const void* argument) {
    reinterpret_cast<void (*)(Args)>(const_cast<void*>(function))(
        *static_cast<const Args*>(argument));
  };
  call.argument = &args;
  call.argument_bytes = sizeof(Args);
  call.signature = __PRETTY_FUNCTION__;
  return emulated::launch_kernel(call, grid.blocks, grid.threads, grid.cooperative, stream);
}
