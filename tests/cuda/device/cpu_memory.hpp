// The memory operations of device code as C++ atomics and plain accesses, so that ThreadSanitizer
// sees exactly the order that the kernels ask for: a release made relaxed is a race it reports.
#pragma once

#include <sched.h>

#include <cstring>

#include "collectives/runners/cuda/device/memory.hpp"

namespace arb {

template <Scope kScope, class T>
T load_acquire(const T* from) {
  return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
template <Scope kScope, class T>
T load_relaxed(const T* from) {
  return __atomic_load_n(from, __ATOMIC_RELAXED);
}
template <Scope kScope, class T>
void store_release(T* to, T value) {
  __atomic_store_n(to, value, __ATOMIC_RELEASE);
}
template <Scope kScope, class T>
void store_relaxed(T* to, T value) {
  __atomic_store_n(to, value, __ATOMIC_RELAXED);
}

inline Line load_line(const Line* from) {
  const auto* pairs = reinterpret_cast<const uint64_t*>(from);
  const uint64_t second = __atomic_load_n(pairs + 1, __ATOMIC_RELAXED);
  const uint64_t first = __atomic_load_n(pairs, __ATOMIC_RELAXED);
  return {static_cast<uint32_t>(first), static_cast<uint32_t>(first >> 32),
          static_cast<uint32_t>(second), static_cast<uint32_t>(second >> 32)};
}
inline void store_line(Line* to, const Line& line) {
  auto* pairs = reinterpret_cast<uint64_t*>(to);
  __atomic_store_n(pairs, line.data0 | static_cast<uint64_t>(line.flag0) << 32, __ATOMIC_RELAXED);
  __atomic_store_n(pairs + 1, line.data1 | static_cast<uint64_t>(line.flag1) << 32,
                   __ATOMIC_RELAXED);
}

template <class T>
T load(const T* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void store(T* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

inline void pause() { sched_yield(); }

}  // namespace arb
