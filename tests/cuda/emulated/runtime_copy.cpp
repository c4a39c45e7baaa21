// Copies and fills.
#include <cstring>
#include <memory>
#include <vector>

#include "tests/cuda/emulated/api.hpp"

using namespace arb::emulated;  // NOLINT: these files are the inside of that namespace

namespace {

enum class Place { kDevice, kPinned, kPageable, kNowhere };

Place place_of(const Machine& m, const void* memory, size_t bytes) {
  const auto at = reinterpret_cast<uintptr_t>(memory);
  const Allocation* found = m.space.holds(at, bytes);
  if (found != nullptr) return found->owner == kHost ? Place::kPinned : Place::kDevice;
  if (memory == nullptr || m.space.find(at) != nullptr || m.space.reserves(at)) {
    return Place::kNowhere;  // too long, or freed
  }
  return Place::kPageable;
}

bool fits(cudaMemcpyKind kind, Place from, Place to) {
  const auto host = [](Place place) { return place != Place::kDevice; };
  const auto device = [](Place place) { return place != Place::kPageable; };
  switch (kind) {
    case cudaMemcpyHostToHost:
      return host(from) && host(to);
    case cudaMemcpyHostToDevice:
      return host(from) && device(to);
    case cudaMemcpyDeviceToHost:
      return device(from) && host(to);
    case cudaMemcpyDeviceToDevice:
      return device(from) && device(to);
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

/// Waits for what is on the stream now.
cudaError_t wait(Machine& m, Lock& lock, Stream& stream) {
  auto moment = std::make_shared<Moment>();
  const int device = stream.device;
  const cudaError_t error =
      m.streams.put(stream, {.kind = Task::Kind::kRecord, .device = device, .moment = moment});
  if (error != cudaSuccess) return error;
  m.run_until(lock, device, [&] { return moment->done; });
  return failure_of(m, device);
}

cudaError_t copy(Machine& m, Lock& lock, void* to, const void* from, size_t bytes,
                 cudaMemcpyKind kind, Stream& stream, bool returns_when_done) {
  if (bytes == 0) return cudaSuccess;
  const Place source = place_of(m, from, bytes);
  const Place destination = place_of(m, to, bytes);
  if (source == Place::kNowhere || destination == Place::kNowhere) return cudaErrorInvalidValue;
  if (!fits(kind, source, destination)) return cudaErrorInvalidMemcpyDirection;
  std::shared_ptr<std::vector<char>> staged;
  if (source == Place::kPageable && !stream.capture && !returns_when_done) {
    // Pageable memory may be used again at once.
    const auto* bytes_of = static_cast<const char*>(from);
    staged = std::make_shared<std::vector<char>>(bytes_of, bytes_of + bytes);
  }
  const cudaError_t error =
      m.streams.put(stream, {.device = stream.device, .call = [&m, to, from, bytes, staged] {
                               const void* source_now = staged ? staged->data() : from;
                               if (place_of(m, to, bytes) == Place::kNowhere ||
                                   place_of(m, source_now, bytes) == Place::kNowhere) {
                                 m.report("a copy of " + std::to_string(bytes) + " bytes from " +
                                          m.name_of(reinterpret_cast<uintptr_t>(from)) + " to " +
                                          m.name_of(reinterpret_cast<uintptr_t>(to)));
                                 return cudaErrorIllegalAddress;
                               }
                               std::memmove(to, source_now, bytes);
                               return cudaSuccess;
                             }});
  if (error != cudaSuccess) return error;
  const bool to_pageable = destination == Place::kPageable && !stream.capture;
  return returns_when_done || to_pageable ? wait(m, lock, stream) : cudaSuccess;
}

cudaError_t fill(Machine& m, void* memory, int value, size_t bytes, Stream& stream) {
  if (bytes == 0) return cudaSuccess;
  const auto bad = [memory, bytes, &m] {
    const Place place = place_of(m, memory, bytes);
    return place == Place::kNowhere || place == Place::kPageable;
  };
  if (bad()) return cudaErrorInvalidValue;
  return m.streams.put(stream,
                       {.device = stream.device, .call = [=, &m] {
                          if (bad()) {
                            m.report("a fill of " + m.name_of(reinterpret_cast<uintptr_t>(memory)));
                            return cudaErrorIllegalAddress;
                          }
                          std::memset(memory, value, bytes);
                          return cudaSuccess;
                        }});
}

}  // namespace

cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  return cudaMemsetAsync(memory, value, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    Stream* found = m.streams.find(stream, caller().device);
    return found == nullptr ? cudaErrorInvalidResourceHandle
                            : fill(m, memory, value, bytes, *found);
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return call(Needs::kContext, [&](Machine& m, Lock& lock) {
    // Between devices, and within one, the host does not wait.
    const bool on_devices =
        place_of(m, from, bytes) == Place::kDevice && place_of(m, to, bytes) == Place::kDevice;
    return copy(m, lock, to, from, bytes, kind, *m.streams.find(nullptr, caller().device),
                !on_devices);
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return call(Needs::kContext, [&](Machine& m, Lock& lock) {
    Stream* found = m.streams.find(stream, caller().device);
    return found == nullptr ? cudaErrorInvalidResourceHandle
                            : copy(m, lock, to, from, bytes, kind, *found, false);
  });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  return call(Needs::kContext, [&](Machine& m, Lock& lock) {
    if (!is_device(m, to_device) || !is_device(m, from_device)) return cudaErrorInvalidDevice;
    Stream* found = m.streams.find(stream, caller().device);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    return copy(m, lock, to, from, bytes, cudaMemcpyDeviceToDevice, *found, false);
  });
}
