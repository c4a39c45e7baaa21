#include "collectives/runners/cuda/cuda_call.hpp"

#include <cstdio>

#include "collectives/error.hpp"

namespace arb {
namespace {

struct Remedy {
  cudaError_t code;
  std::string_view text;
};

constexpr Remedy kRemedies[] = {
    {cudaErrorMemoryAllocation, "use smaller sizes or fewer ranks per GPU (--ranks-per-gpu)"},
    {cudaErrorCooperativeLaunchTooLarge, "use fewer ranks per GPU (--ranks-per-gpu)"},
    {cudaErrorLaunchOutOfResources, "use fewer ranks per GPU (--ranks-per-gpu)"},
    {cudaErrorInsufficientDriver, "install a newer driver, or build with an older CUDA Toolkit"},
    {cudaErrorNoDevice, "look at nvidia-smi and CUDA_VISIBLE_DEVICES"},
    {cudaErrorDevicesUnavailable,
     "another process has the GPU for itself: look at its compute mode (nvidia-smi -q)"},
    {cudaErrorNoKernelImageForDevice,
     "this build has no code for the GPU: add its architecture when configuring"},
    {cudaErrorIllegalAddress, "the GPU is of no further use to this process"},
    {cudaErrorLaunchFailure, "the GPU is of no further use to this process"},
};

}  // namespace

std::string describe(cudaError_t code) {
  std::string text =
      std::string(cudaGetErrorString(code)) + " (" + std::string(cudaGetErrorName(code)) + ")";
  for (const Remedy& remedy : kRemedies) {
    if (remedy.code == code) return text + "; " + std::string(remedy.text);
  }
  return text;
}

void cuda_failed(cudaError_t code, std::string_view purpose) {
  cudaGetLastError();  // an error that does not stick is not reported again by a later call
  throw Error(ErrorKind::kEnvironment, "cannot " + std::string(purpose) + ": " + describe(code));
}

void upload(void* to, const void* from, size_t bytes, std::string_view purpose) {
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), purpose);
  check_cuda(cudaStreamSynchronize(nullptr), purpose);
}

void use_device(int device) { check_cuda(cudaSetDevice(device), "select a GPU"); }

std::string in_binary_units(size_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit < 3) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s", value, kUnits[unit]);
  return text;
}

}  // namespace arb
