#include "tests/cuda/emulated/properties.hpp"

#include <cstdio>
#include <cstring>

#include "tests/cuda/emulated/kernel.hpp"

namespace arb::emulated {
namespace {

constexpr int kMostThreads = 1024;
constexpr int kThreadsOfMultiprocessor = 2048;

}  // namespace

cudaDeviceProp properties_of(const Settings& settings, int device) {
  cudaDeviceProp p = {};
  std::snprintf(p.name, sizeof(p.name), "Emulated GPU");
  std::memcpy(p.uuid.bytes, "emulated GPU ", 13);
  p.uuid.bytes[15] = static_cast<char>(device);
  p.totalGlobalMem = settings.memory_bytes;
  p.sharedMemPerBlock = SharedMemory::kBytes;
  p.sharedMemPerBlockOptin = p.sharedMemPerMultiprocessor = 228 * 1024;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.maxThreadsPerBlock = kMostThreads;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = kMostThreads;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7fffffff;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.totalConstMem = 65536;
  p.major = settings.compute_major;
  p.minor = settings.compute_minor;
  p.multiProcessorCount = settings.multiprocessors;
  p.maxThreadsPerMultiProcessor = kThreadsOfMultiprocessor;
  p.maxBlocksPerMultiProcessor = 32;
  p.l2CacheSize = static_cast<int>(settings.l2_bytes);
  p.memoryBusWidth = 5120;
  p.pciBusID = kFirstBus + device;
  p.asyncEngineCount = 3;
  p.canMapHostMemory = p.unifiedAddressing = p.concurrentKernels = 1;
  p.cooperativeLaunch = p.hostRegisterSupported = p.canUseHostPointerForRegisteredMem = 1;
  p.ipcEventSupported = p.streamPrioritiesSupported = 1;
  return p;
}

cudaError_t attribute_of(const cudaDeviceProp& p, cudaDeviceAttr attribute, int* value) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = p.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(p.sharedMemPerBlock);
      break;
    case cudaDevAttrWarpSize:
      *value = p.warpSize;
      break;
    case cudaDevAttrMaxRegistersPerBlock:
      *value = p.regsPerBlock;
      break;
    case cudaDevAttrClockRate:
      *value = 1980000;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = p.multiProcessorCount;
      break;
    case cudaDevAttrKernelExecTimeout:
      *value = 0;
      break;
    case cudaDevAttrIntegrated:
      *value = p.integrated;
      break;
    case cudaDevAttrCanMapHostMemory:
      *value = p.canMapHostMemory;
      break;
    case cudaDevAttrComputeMode:
      *value = 0;
      break;
    case cudaDevAttrConcurrentKernels:
      *value = p.concurrentKernels;
      break;
    case cudaDevAttrEccEnabled:
      *value = p.ECCEnabled;
      break;
    case cudaDevAttrPciBusId:
      *value = p.pciBusID;
      break;
    case cudaDevAttrPciDeviceId:
      *value = p.pciDeviceID;
      break;
    case cudaDevAttrMemoryClockRate:
      *value = 2619000;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = p.memoryBusWidth;
      break;
    case cudaDevAttrL2CacheSize:
      *value = p.l2CacheSize;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = p.maxThreadsPerMultiProcessor;
      break;
    case cudaDevAttrAsyncEngineCount:
      *value = p.asyncEngineCount;
      break;
    case cudaDevAttrUnifiedAddressing:
      *value = p.unifiedAddressing;
      break;
    case cudaDevAttrPciDomainId:
      *value = p.pciDomainID;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = p.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = p.minor;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(p.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      *value = p.regsPerMultiprocessor;
      break;
    case cudaDevAttrManagedMemory:
      *value = p.managedMemory;
      break;
    case cudaDevAttrHostNativeAtomicSupported:
      *value = p.hostNativeAtomicSupported;
      break;
    case cudaDevAttrPageableMemoryAccess:
      *value = p.pageableMemoryAccess;
      break;
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
      *value = p.canUseHostPointerForRegisteredMem;
      break;
    case cudaDevAttrCooperativeLaunch:
      *value = p.cooperativeLaunch;
      break;
    case cudaDevAttrHostRegisterSupported:
      *value = p.hostRegisterSupported;
      break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      *value = p.maxBlocksPerMultiProcessor;
      break;
    case cudaDevAttrGPUDirectRDMASupported:
      *value = p.gpuDirectRDMASupported;
      break;
    case cudaDevAttrGPUDirectRDMAWritesOrdering:
      *value = cudaGPUDirectRDMAWritesOrderingNone;
      break;
    case cudaDevAttrIpcEventSupport:
      *value = p.ipcEventSupported;
      break;
    default:
      return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

}  // namespace arb::emulated
