// Devices and the paths between them.
#include <algorithm>
#include <cstdio>

#include "tests/cuda/emulated/api.hpp"
#include "tests/cuda/emulated/properties.hpp"

using namespace arb::emulated;  // NOLINT: these files are the inside of that namespace

namespace {

bool can_access(const Machine& machine, int device, int peer) {
  const auto& refused = machine.settings.faults.no_peer;
  return device != peer &&
         std::find(refused.begin(), refused.end(), DevicePair{device, peer}) == refused.end();
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
    *properties = properties_of(m.settings, device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    if (!is_device(m, device)) return cudaErrorInvalidDevice;
    return attribute_of(properties_of(m.settings, device), attribute, value);
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
