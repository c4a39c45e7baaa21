// Devices and the paths between them.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/cuda/emulated/api.hpp"

using namespace arb::emulated;  // NOLINT: these files are the inside of that namespace

namespace {

constexpr int kMostThreads = 1024;
constexpr int kThreadsOfMultiprocessor = 2048;
constexpr int kFirstBus = 0x10;

bool can_access(const Machine& machine, int device, int peer) {
  const auto& refused = machine.settings.faults.no_peer;
  return device != peer &&
         std::find(refused.begin(), refused.end(), DevicePair{device, peer}) == refused.end();
}

cudaDeviceProp properties_of(const Machine& machine, int device) {
  const Settings& settings = machine.settings;
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

}  // namespace

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  return call(Needs::kNothing, [&](Machine& m, Lock&) {
    *version = m.settings.driver_version;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    *count = static_cast<int>(m.devices.size());
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    if (!is_device(m, device)) return cudaErrorInvalidDevice;
    caller().device = device;
    return failure_of(m, device);
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call(Needs::kDevices, [&](Machine&, Lock&) {
    *device = caller().device;
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int device, unsigned /*device_flags*/, unsigned /*flags*/) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    return is_device(m, device) ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned /*flags*/) {
  return call(Needs::kDevices, [](Machine&, Lock&) { return cudaSuccess; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    if (!is_device(m, device)) return cudaErrorInvalidDevice;
    *properties = properties_of(m, device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    if (!is_device(m, device)) return cudaErrorInvalidDevice;
    return attribute_of(properties_of(m, device), attribute, value);
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    if (!is_device(m, device)) return cudaErrorInvalidDevice;
    const int need =
        std::snprintf(id, static_cast<size_t>(length), "0000:%02X:00.0", kFirstBus + device);
    return need < length ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    unsigned domain = 0, bus = 0;
    if (std::sscanf(id, "%x:%x", &domain, &bus) != 2) return cudaErrorInvalidValue;
    const int found = static_cast<int>(bus) - kFirstBus;
    if (!is_device(m, found)) return cudaErrorInvalidDevice;
    *device = found;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return call(Needs::kContext, [](Machine& m, Lock& lock) {
    if (m.streams.forbids_immediate_calls()) return cudaErrorStreamCaptureUnsupported;
    const int device = caller().device;
    m.run_until(lock, device, [&] { return m.streams.idle(device); });
    return failure_of(m, device);
  });
}

cudaError_t cudaDeviceReset() {
  return call(Needs::kDevices, [](Machine& m, Lock&) {
    m.reset(caller().device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    if (!is_device(m, device) || !is_device(m, peer)) return cudaErrorInvalidDevice;
    *can = can_access(m, device, peer) ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    const int device = caller().device;
    if (!is_device(m, peer) || peer == device) return cudaErrorInvalidDevice;
    if (flags != 0) return cudaErrorInvalidValue;
    if (!can_access(m, device, peer)) return cudaErrorPeerAccessUnsupported;
    char& enabled = m.devices[static_cast<size_t>(device)].peers[static_cast<size_t>(peer)];
    if (enabled != 0) return cudaErrorPeerAccessAlreadyEnabled;
    enabled = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    const int device = caller().device;
    if (!is_device(m, peer) || peer == device) return cudaErrorInvalidDevice;
    char& enabled = m.devices[static_cast<size_t>(device)].peers[static_cast<size_t>(peer)];
    if (enabled == 0) return cudaErrorPeerAccessNotEnabled;
    enabled = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int source,
                                      int destination) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    if (!is_device(m, source) || !is_device(m, destination) || source == destination) {
      return cudaErrorInvalidDevice;
    }
    const int can = can_access(m, source, destination) ? 1 : 0;
    *value = attribute == cudaDevP2PAttrPerformanceRank ? 0 : can;
    return cudaSuccess;
  });
}
