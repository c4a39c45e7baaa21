// Calls of the CUDA runtime, checked.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <string_view>

namespace arb {

/// "out of memory (cudaErrorMemoryAllocation); use smaller sizes ...": with a remedy where one is
/// known.
std::string describe(cudaError_t code);

/// Throws Error{kEnvironment}: "cannot " + purpose + ": " + describe(code).
[[noreturn]] void cuda_failed(cudaError_t code, std::string_view purpose);

inline void check_cuda(cudaError_t code, std::string_view purpose) {
  if (code != cudaSuccess) cuda_failed(code, purpose);
}

/// Makes `device` (a CUDA ordinal) the one that the calling thread's next calls are for.
void use_device(int device);

/// From memory of the process to a GPU's, and there before it returns: cudaMemcpy from memory that
/// is not pinned may return earlier, and our streams do not wait for it.
void upload(void* to, const void* from, size_t bytes, std::string_view purpose);

/// "1.5 MiB"
std::string in_binary_units(size_t bytes);

}  // namespace arb
