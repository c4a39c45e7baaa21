// Names of errors, and the last one.
#include <utility>

#include "tests/cuda/emulated/api.hpp"

namespace {

struct Words {
  cudaError_t error;
  const char* name;
  const char* text;
};

#define ARB_ERROR(name, text) \
  { name, #name, text }
constexpr Words kWords[] = {
    ARB_ERROR(cudaSuccess, "no error"),
    ARB_ERROR(cudaErrorInvalidValue, "invalid argument"),
    ARB_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    ARB_ERROR(cudaErrorInitializationError, "initialization error"),
    ARB_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ARB_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    ARB_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ARB_ERROR(cudaErrorInsufficientDriver,
              "CUDA driver version is insufficient for CUDA runtime version"),
    ARB_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    ARB_ERROR(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"),
    ARB_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    ARB_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    ARB_ERROR(cudaErrorDeviceUninitialized, "invalid device context"),
    ARB_ERROR(cudaErrorMapBufferObjectFailed, "mapping of buffer object failed"),
    ARB_ERROR(cudaErrorAlreadyMapped, "resource already mapped"),
    ARB_ERROR(cudaErrorNoKernelImageForDevice,
              "no kernel image is available for execution on the device"),
    ARB_ERROR(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"),
    ARB_ERROR(cudaErrorPeerAccessUnsupported,
              "peer access is not supported between these two devices"),
    ARB_ERROR(cudaErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    ARB_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ARB_ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    ARB_ERROR(cudaErrorNotReady, "device not ready"),
    ARB_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ARB_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    ARB_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    ARB_ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ARB_ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    ARB_ERROR(cudaErrorHostMemoryAlreadyRegistered,
              "part or all of the requested memory range is already mapped"),
    ARB_ERROR(cudaErrorHostMemoryNotRegistered,
              "pointer does not correspond to a registered memory region"),
    ARB_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    ARB_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    ARB_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    ARB_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    ARB_ERROR(cudaErrorNotSupported, "operation not supported"),
    ARB_ERROR(cudaErrorStreamCaptureUnsupported,
              "operation not permitted when stream is capturing"),
    ARB_ERROR(cudaErrorStreamCaptureInvalidated,
              "operation failed due to a previous error during capture"),
    ARB_ERROR(cudaErrorStreamCaptureMerge,
              "operation would result in a merge of separate capture sequences"),
    ARB_ERROR(cudaErrorStreamCaptureUnmatched,
              "capture was not ended in the same stream as it began"),
    ARB_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    ARB_ERROR(cudaErrorStreamCaptureIsolation,
              "dependency created on uncaptured work in another stream"),
    ARB_ERROR(cudaErrorStreamCaptureImplicit,
              "operation would make the legacy stream depend on a capturing blocking stream"),
    ARB_ERROR(cudaErrorCapturedEvent,
              "operation not permitted on an event last recorded in a capturing stream"),
    ARB_ERROR(cudaErrorStreamCaptureWrongThread,
              "attempt to terminate a thread-local capture sequence from another thread"),
    ARB_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef ARB_ERROR

cudaError_t last(bool forget) {
  using arb::emulated::caller;
  const arb::emulated::Lock lock(arb::emulated::machine_lock());
  const cudaError_t error =
      forget ? std::exchange(caller().last_error, cudaSuccess) : caller().last_error;
  arb::emulated::Machine* machine = arb::emulated::machine_of_this_process();
  if (machine != nullptr && is_device(*machine, caller().device)) {
    const cudaError_t failure = failure_of(*machine, caller().device);
    if (failure != cudaSuccess) return failure;  // it stays
  }
  return error;
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
  for (const Words& words : kWords) {
    if (words.error == error) return words.name;
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  for (const Words& words : kWords) {
    if (words.error == error) return words.text;
  }
  return "unrecognized error code";
}

cudaError_t cudaGetLastError() { return last(true); }

cudaError_t cudaPeekAtLastError() { return last(false); }
