// The operations of device/memory.hpp and thread.hpp on emulated GPUs.
#include <cuda_runtime.h>
#include <sched.h>

#include <cstddef>
#include <cstring>

#include "collectives/ops/half.hpp"
#include "collectives/runners/cuda/device/thread.hpp"
#include "tests/cuda/emulated/machine.hpp"
#include "tests/cuda/emulated/thread_mode.hpp"

namespace arb {
namespace emulated {
namespace {

constexpr uint64_t kLost = 0xdeadbeefdeadbeef;  // what is read over a broken path

/// Where an access goes. Null thread: straight to memory, as host code or an OS thread.
struct Access {
  CudaThread* thread = nullptr;
  Machine* machine = nullptr;
  int owner = kHost;
  bool lost = false;

  int device() const { return thread->block->run->image->device; }
};

Access begin(const void* address, size_t bytes, const char* what, bool flag) {
  CudaThread* thread = current_thread();
  if (thread == nullptr) return {};
  Machine& machine = machine_of_kernels();
  if (machine.threads) return {};
  if (flag) {
    machine.scheduler.flag_access(*thread);
  } else {
    machine.scheduler.payload_access(*thread);
  }
  const auto at = reinterpret_cast<uintptr_t>(address);
  if (thread->block->shared.holds(at)) return {};  // seen by the block alone, and by all of it
  const Allocation* found = machine.settings.check_addresses
                                ? machine.check(*thread, at, bytes, what)
                                : machine.space.find(at);
  Access access{.thread = thread, .machine = &machine};
  if (found != nullptr) access.owner = found->owner;
  access.lost = machine.broken(access.device(), access.owner);
  return access;
}

/// Reads what `access` sees; direct() reads memory.
template <class T, class Direct>
T read(const Access& access, const T* from, bool weak, const Direct& direct) {
  if (access.thread == nullptr) return direct();
  T value;
  if (access.lost) {
    for (size_t i = 0; i < sizeof(T); ++i) {
      reinterpret_cast<unsigned char*>(&value)[i] =
          static_cast<unsigned char>(kLost >> (8 * (i % 8)));
    }
    return value;
  }
  WeakMemory& memory = access.machine->weak;
  if (!memory.buffers() && !memory.caches()) return direct();
  memory.load(*access.thread, reinterpret_cast<uintptr_t>(from), &value, sizeof(T), weak);
  return value;
}

template <class Direct>
void write(const Access& access, void* to, const void* value, size_t bytes, const Direct& direct) {
  if (access.thread == nullptr) {
    direct();
    return;
  }
  Machine& machine = *access.machine;
  machine.devices[static_cast<size_t>(access.device())]
      .stored[static_cast<size_t>(access.owner + 1)] += bytes;
  if (access.lost) return;
  const auto at = reinterpret_cast<uintptr_t>(to);
  if (machine.weak.buffers()) {
    machine.weak.store(*access.thread->block, access.owner, at, value, bytes);
    return;
  }
  if (machine.weak.caches()) machine.weak.wrote(*access.thread->block, at, bytes);
  direct();
  machine.scheduler.changed(at);
}

}  // namespace
}  // namespace emulated

using emulated::Access;
using emulated::begin;

template <Scope kScope, class T>
T load_acquire(const T* from) {
  const Access access = begin(from, sizeof(T), "an acquiring load", true);
  if (access.thread != nullptr) {
    access.machine->scheduler.watch(*access.thread, reinterpret_cast<uintptr_t>(from));
  }
  const T value =
      emulated::read(access, from, false, [&] { return __atomic_load_n(from, __ATOMIC_ACQUIRE); });
  if (access.thread != nullptr) access.machine->weak.acquire(*access.thread->block);
  return value;
}

template <Scope kScope, class T>
T load_relaxed(const T* from) {
  const Access access = begin(from, sizeof(T), "a relaxed load", true);
  if (access.thread != nullptr) {
    access.machine->scheduler.watch(*access.thread, reinterpret_cast<uintptr_t>(from));
  }
  return emulated::read(access, from, false,
                        [&] { return __atomic_load_n(from, __ATOMIC_RELAXED); });
}

template <Scope kScope, class T>
void store_release(T* to, T value) {
  const Access access = begin(to, sizeof(T), "a releasing store", true);
  if (access.thread != nullptr && access.machine->weak.buffers() && !access.lost) {
    access.machine->weak.store_released(*access.thread->block, access.owner,
                                        reinterpret_cast<uintptr_t>(to), &value, sizeof(T),
                                        kScope == Scope::kSystem);
    return;
  }
  emulated::write(access, to, &value, sizeof(T),
                  [&] { __atomic_store_n(to, value, __ATOMIC_RELEASE); });
}

template <Scope kScope, class T>
void store_relaxed(T* to, T value) {
  const Access access = begin(to, sizeof(T), "a relaxed store", true);
  emulated::write(access, to, &value, sizeof(T),
                  [&] { __atomic_store_n(to, value, __ATOMIC_RELAXED); });
}

Line load_line(const Line* from) {
  const Access access = begin(from, sizeof(Line), "a load of a line", true);
  if (access.thread != nullptr) {
    access.machine->scheduler.watch(*access.thread, reinterpret_cast<uintptr_t>(from));
  }
  return emulated::read(access, from, false, [&] {
    const auto* halves = reinterpret_cast<const uint64_t*>(from);
    const uint64_t pair[2] = {__atomic_load_n(&halves[0], __ATOMIC_RELAXED),
                              __atomic_load_n(&halves[1], __ATOMIC_RELAXED)};
    Line line;
    std::memcpy(&line, pair, sizeof(line));
    return line;
  });
}

void store_line(Line* to, const Line& line) {
  const Access access = begin(to, sizeof(Line), "a store of a line", true);
  emulated::write(access, to, &line, sizeof(Line), [&] {
    uint64_t pair[2];
    std::memcpy(pair, &line, sizeof(line));
    auto* halves = reinterpret_cast<uint64_t*>(to);
    __atomic_store_n(&halves[0], pair[0], __ATOMIC_RELAXED);
    __atomic_store_n(&halves[1], pair[1], __ATOMIC_RELAXED);
  });
}

template <class T>
T load(const T* from) {
  const Access access = begin(from, sizeof(T), "a load", false);
  return emulated::read(access, from, true, [&] { return *from; });
}

template <class T>
void store(T* to, T value) {
  const Access access = begin(to, sizeof(T), "a store", false);
  emulated::write(access, to, &value, sizeof(T), [&] { *to = value; });
}

void pause() {
  emulated::CudaThread* thread = emulated::current_thread();
  if (thread == nullptr || emulated::machine_of_kernels().threads) {
    sched_yield();
  } else {
    emulated::machine_of_kernels().scheduler.park(*thread);
  }
}

#define ARB_FLAG(T)                                   \
  template T load_acquire<Scope::kGpu>(const T*);     \
  template T load_acquire<Scope::kSystem>(const T*);  \
  template T load_relaxed<Scope::kGpu>(const T*);     \
  template T load_relaxed<Scope::kSystem>(const T*);  \
  template void store_release<Scope::kGpu>(T*, T);    \
  template void store_release<Scope::kSystem>(T*, T); \
  template void store_relaxed<Scope::kGpu>(T*, T);    \
  template void store_relaxed<Scope::kSystem>(T*, T);
ARB_FLAG(uint32_t)
ARB_FLAG(uint64_t)

#define ARB_PAYLOAD(T)       \
  template T load(const T*); \
  template void store(T*, T);
ARB_PAYLOAD(uint8_t)
ARB_PAYLOAD(int8_t)
ARB_PAYLOAD(std::byte)
ARB_PAYLOAD(uint16_t)
ARB_PAYLOAD(int16_t)
ARB_PAYLOAD(Float16)
ARB_PAYLOAD(Bfloat16)
ARB_PAYLOAD(uint32_t)
ARB_PAYLOAD(int32_t)
ARB_PAYLOAD(float)
ARB_PAYLOAD(uint64_t)
ARB_PAYLOAD(int64_t)
ARB_PAYLOAD(double)
ARB_PAYLOAD(Vector16)

uint32_t Thread::index() const { return emulated::current_thread()->index; }

uint32_t Thread::count() const { return emulated::current_thread()->block->run->image->threads; }

uint32_t Thread::block() const { return emulated::current_thread()->block->index; }

void Thread::sync(const char* file, int line) const {
  emulated::CudaThread* thread = emulated::current_thread();
  emulated::Machine& machine = emulated::machine_of_kernels();
  if (machine.threads) {
    emulated::thread_barrier(*thread, file, line);
  } else {
    machine.scheduler.barrier(*thread, file, line);
  }
}

void* block_shared_memory(unsigned long bytes, const void* key) {
  emulated::Block& block = *emulated::current_thread()->block;
  const uint64_t seed = emulated::machine_of_kernels().settings.seed;
  void* found = block.shared.find(key, bytes, (block.run->number + seed) * 0x9e3779b97f4a7c15U);
  if (found == nullptr) std::abort();  // more than a block of a GPU has
  return found;
}

}  // namespace arb
