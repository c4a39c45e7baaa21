// Kernels: whether they may start at all.
#include <cuda_runtime.h>
#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "collectives/runners/cuda/launch.hpp"
#include "tests/cuda/emulated/api.hpp"

namespace arb::emulated {
namespace {

constexpr unsigned kMostThreads = 1024;

std::string name_of(const KernelCall& call) {
  Dl_info info = {};
  if (dladdr(call.function, &info) == 0 || info.dli_sname == nullptr ||
      info.dli_saddr != call.function) {
    const std::string signature = call.signature;  // "... [with Args = ScheduleArgs; ...]"
    const size_t start = signature.find("Args = ");
    return "kernel of " +
           signature.substr(start + 7, signature.find_first_of(";]", start) - start - 7);
  }
  int status = 0;
  char* readable = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
  std::string name = status == 0 ? readable : info.dli_sname;
  std::free(readable);
  return name.substr(0, name.find('('));
}

}  // namespace

cudaError_t launch_kernel(const KernelCall& kernel, unsigned blocks, unsigned threads,
                          bool cooperative, cudaStream_t stream) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    const int device = caller().device;
    Stream* found = m.streams.find(stream, device);
    if (found == nullptr || found->device != device) return cudaErrorInvalidResourceHandle;
    if (blocks == 0 || threads == 0 || threads > kMostThreads) return cudaErrorInvalidConfiguration;
    if (kernel.function == nullptr) return cudaErrorInvalidDeviceFunction;
    const auto room =
        static_cast<int64_t>(m.settings.multiprocessors) * m.settings.blocks_per_multiprocessor;
    if (cooperative && int64_t{blocks} > room) return cudaErrorCooperativeLaunchTooLarge;
    if (++m.launches == m.settings.faults.fail_launch) return cudaErrorLaunchOutOfResources;
    auto image = std::make_shared<KernelImage>();
    image->function = kernel.function;
    image->invoke = kernel.invoke;
    image->argument.resize((kernel.argument_bytes + sizeof(std::max_align_t) - 1) /
                           sizeof(std::max_align_t));
    std::memcpy(image->argument.data(), kernel.argument, kernel.argument_bytes);
    image->name = name_of(kernel);
    image->blocks = blocks;
    image->threads = threads;
    image->cooperative = cooperative;
    image->device = device;
    return m.streams.put(*found, {.kind = Task::Kind::kKernel, .device = device, .kernel = image});
  });
}

}  // namespace arb::emulated

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  using namespace arb::emulated;
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    *attributes = {};
    attributes->maxThreadsPerBlock = kMostThreads;
    attributes->numRegs = 64;
    attributes->binaryVersion = attributes->ptxVersion =
        m.settings.compute_major * 10 + m.settings.compute_minor;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int threads, size_t /*shared_bytes*/) {
  using namespace arb::emulated;
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    if (threads <= 0) return cudaErrorInvalidValue;
    *blocks =
        static_cast<unsigned>(threads) > kMostThreads ? 0 : m.settings.blocks_per_multiprocessor;
    return cudaSuccess;
  });
}
