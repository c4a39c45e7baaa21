// Memory: to have it, to share it.
#include <unistd.h>

#include <cstring>

#include "tests/cuda/emulated/api.hpp"

using namespace arb::emulated;  // NOLINT: these files are the inside of that namespace

namespace {

cudaError_t forbidden_in_capture(Machine& machine) {
  return machine.streams.forbids_immediate_calls() ? cudaErrorStreamCaptureUnsupported
                                                   : cudaSuccess;
}

/// As the driver does before memory goes away: nothing of the device is under way any more.
cudaError_t settle(Machine& m, Lock& lock, int device) {
  m.run_until(lock, device, [&] { return m.streams.idle(device); });
  return failure_of(m, device);
}

cudaError_t free_memory(Machine& m, Lock& lock, void* memory, Allocation::Kind kind) {
  if (memory == nullptr) return cudaSuccess;
  if (const cudaError_t error = forbidden_in_capture(m); error != cudaSuccess) return error;
  Allocation* found = m.space.starts_at(memory);
  if (found == nullptr || found->kind != kind) return cudaErrorInvalidValue;
  const int device = kind == Allocation::Kind::kDevice ? found->owner : caller().device;
  if (const cudaError_t error = settle(m, lock, device); error != cudaSuccess) return error;
  m.space.release(*found);
  return cudaSuccess;
}

ExportedMemory opened(const cudaIpcMemHandle_t& handle) {
  static_assert(sizeof(ExportedMemory) <= sizeof(handle));
  ExportedMemory memory;
  std::memcpy(static_cast<void*>(&memory), handle.reserved, sizeof(memory));
  return memory;
}

}  // namespace

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    *free = m.space.free_bytes(caller().device);
    *total = m.settings.memory_bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    *memory = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (const cudaError_t error = forbidden_in_capture(m); error != cudaSuccess) return error;
    const bool fails = ++m.allocations == m.settings.faults.fail_allocation;
    Allocation* made = fails ? nullptr : m.space.allocate_device(caller().device, bytes);
    if (made == nullptr) return cudaErrorMemoryAllocation;
    *memory = reinterpret_cast<void*>(made->base);
    return cudaSuccess;
  });
}

cudaError_t cudaFree(void* memory) {
  return call(Needs::kContext, [&](Machine& m, Lock& lock) {
    return free_memory(m, lock, memory, Allocation::Kind::kDevice);
  });
}

cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned flags) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    *memory = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (const cudaError_t error = forbidden_in_capture(m); error != cudaSuccess) return error;
    const bool fails = ++m.allocations == m.settings.faults.fail_allocation;
    Allocation* made = fails ? nullptr : m.space.allocate_pinned(bytes, flags);
    if (made == nullptr) return cudaErrorMemoryAllocation;
    made->device = caller().device;
    *memory = reinterpret_cast<void*>(made->base);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocHost(void** memory, size_t bytes) {
  return cudaHostAlloc(memory, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void* memory) {
  return call(Needs::kContext, [&](Machine& m, Lock& lock) {
    return free_memory(m, lock, memory, Allocation::Kind::kPinned);
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    const Allocation* found = m.space.holds(reinterpret_cast<uintptr_t>(host), 1);
    if (flags != 0 || found == nullptr || found->owner != kHost) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    const Allocation* found = m.space.holds(reinterpret_cast<uintptr_t>(host), 1);
    if (found == nullptr || found->owner != kHost) return cudaErrorInvalidValue;
    *flags = found->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned flags) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    if (memory == nullptr || bytes == 0) return cudaErrorInvalidValue;
    if (++m.host_registers == m.settings.faults.fail_host_register) {
      return cudaErrorMemoryAllocation;
    }
    const auto at = reinterpret_cast<uintptr_t>(memory);
    if (m.space.find(at) != nullptr) return cudaErrorHostMemoryAlreadyRegistered;
    return m.space.register_host(at, bytes, flags) == nullptr ? cudaErrorHostMemoryAlreadyRegistered
                                                              : cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* memory) {
  return call(Needs::kContext, [&](Machine& m, Lock& lock) {
    Allocation* found = m.space.starts_at(memory);
    if (found == nullptr || found->kind != Allocation::Kind::kRegistered) {
      return cudaErrorHostMemoryNotRegistered;
    }
    if (const cudaError_t error = settle(m, lock, caller().device); error != cudaSuccess) {
      return error;
    }
    m.space.release(*found);
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    *attributes = {};
    auto* pointer = const_cast<void*>(memory);
    const Allocation* found = m.space.holds(reinterpret_cast<uintptr_t>(memory), 1);
    if (found == nullptr) {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = -2;
      attributes->hostPointer = pointer;
    } else if (found->owner == kHost) {
      attributes->type = cudaMemoryTypeHost;
      attributes->device = found->device;
      attributes->hostPointer = attributes->devicePointer = pointer;
    } else {
      attributes->type = cudaMemoryTypeDevice;
      attributes->device = found->owner;
      attributes->devicePointer = pointer;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    const Allocation* found = m.space.holds(reinterpret_cast<uintptr_t>(memory), 1);
    if (found == nullptr || found->kind != Allocation::Kind::kDevice) return cudaErrorInvalidValue;
    // It stands for the whole allocation, wherever in it the pointer points.
    const ExportedMemory exported = m.space.export_memory(*const_cast<Allocation*>(found));
    *handle = {};
    std::memcpy(handle, &exported, sizeof(exported));
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle, unsigned flags) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    const ExportedMemory exported = opened(handle);
    const int device = caller().device;
    if (flags != cudaIpcMemLazyEnablePeerAccess || !exported.valid() ||
        !is_device(m, exported.physical_device)) {
      return cudaErrorInvalidValue;
    }
    if (exported.pid == getpid()) return cudaErrorDeviceUninitialized;
    if (++m.ipc_opens == m.settings.faults.fail_ipc_open) return cudaErrorMapBufferObjectFailed;
    if (exported.physical_device != device) {
      int can = 0;
      cudaDeviceCanAccessPeer(&can, device, exported.physical_device);
      if (can == 0) return cudaErrorPeerAccessUnsupported;
      m.devices[static_cast<size_t>(device)].peers[static_cast<size_t>(exported.physical_device)] =
          1;
    }
    Allocation* made = m.space.import_memory(exported);
    if (made == nullptr) return cudaErrorMapBufferObjectFailed;
    *memory = reinterpret_cast<void*>(made->base);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcCloseMemHandle(void* memory) {
  return call(Needs::kContext, [&](Machine& m, Lock& lock) {
    Allocation* found = m.space.starts_at(memory);
    if (found == nullptr || found->kind != Allocation::Kind::kImported) {
      return cudaErrorInvalidValue;
    }
    if (const cudaError_t error = settle(m, lock, caller().device); error != cudaSuccess) {
      return error;
    }
    if (--found->opened == 0) m.space.release(*found);
    return cudaSuccess;
  });
}
