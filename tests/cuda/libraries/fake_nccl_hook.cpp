// What the fake NCCL needs of the program that opens it.
#include <cuda_runtime.h>

extern "C" __attribute__((visibility("default"))) int fake_nccl_host_function(
    void* stream, void (*function)(void*), void* data) {
  return cudaLaunchHostFunc(static_cast<cudaStream_t>(stream), function, data);
}
