// What every function of the emulated runtime does first and last.
#pragma once

#include <cuda_runtime.h>

#include <mutex>

#include "tests/cuda/emulated/machine.hpp"

namespace arb::emulated {

using Lock = std::unique_lock<std::recursive_mutex>;

struct Caller {  // of each host thread
  int device = 0;
  cudaError_t last_error = cudaSuccess;
  bool in_host_function = false;
};
Caller& caller();

enum class Needs {
  kNothing,
  kDevices,  // at least one
  kContext,  // and the current one has not failed
};

/// Null: the process that made the machine is another one; CUDA does not survive a fork either.
Machine* machine_of_this_process();
cudaError_t ready(Machine& machine, Needs needs);

/// Runs function(machine, lock) and remembers its error.
template <class Function>
cudaError_t call(Needs needs, const Function& function) {
  Caller& who = caller();
  if (who.in_host_function) return who.last_error = cudaErrorNotPermitted;
  Lock lock(machine_lock());
  Machine* found = machine_of_this_process();
  if (found == nullptr) return who.last_error = cudaErrorInitializationError;
  cudaError_t result = ready(*found, needs);
  if (result == cudaSuccess) result = function(*found, lock);
  if (result != cudaSuccess) who.last_error = result;
  return result;
}

inline bool is_device(const Machine& machine, int device) {
  return device >= 0 && device < static_cast<int>(machine.devices.size());
}
inline cudaError_t failure_of(const Machine& machine, int device) {
  return machine.devices[static_cast<size_t>(device)].failure;
}

}  // namespace arb::emulated
