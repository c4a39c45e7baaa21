// The memory operations as single PTX instructions (sm_70 and later). All are volatile and clobber
// memory: the compiler keeps their order, the hardware's order is what each instruction says.
//
// Flags are addressed generically, since one of them lies in shared memory (wait.hpp).
#pragma once

#include <cstdint>

namespace arb {

#define ARB_PTX_FLAGS(scope_name, scope_text)                                                   \
  template <>                                                                                   \
  struct FlagAccess<Scope::scope_name> {                                                        \
    static __device__ __forceinline__ uint32_t acquire(const uint32_t* from) {                  \
      uint32_t value;                                                                           \
      asm volatile("ld.acquire." scope_text ".u32 %0, [%1];"                                    \
                   : "=r"(value)                                                                \
                   : "l"(from)                                                                  \
                   : "memory");                                                                 \
      return value;                                                                             \
    }                                                                                           \
    static __device__ __forceinline__ uint64_t acquire(const uint64_t* from) {                  \
      uint64_t value;                                                                           \
      asm volatile("ld.acquire." scope_text ".u64 %0, [%1];"                                    \
                   : "=l"(value)                                                                \
                   : "l"(from)                                                                  \
                   : "memory");                                                                 \
      return value;                                                                             \
    }                                                                                           \
    static __device__ __forceinline__ uint32_t relaxed(const uint32_t* from) {                  \
      uint32_t value;                                                                           \
      asm volatile("ld.relaxed." scope_text ".u32 %0, [%1];"                                    \
                   : "=r"(value)                                                                \
                   : "l"(from)                                                                  \
                   : "memory");                                                                 \
      return value;                                                                             \
    }                                                                                           \
    static __device__ __forceinline__ uint64_t relaxed(const uint64_t* from) {                  \
      uint64_t value;                                                                           \
      asm volatile("ld.relaxed." scope_text ".u64 %0, [%1];"                                    \
                   : "=l"(value)                                                                \
                   : "l"(from)                                                                  \
                   : "memory");                                                                 \
      return value;                                                                             \
    }                                                                                           \
    static __device__ __forceinline__ void release(uint32_t* to, uint32_t value) {              \
      asm volatile("st.release." scope_text ".u32 [%0], %1;" ::"l"(to), "r"(value) : "memory"); \
    }                                                                                           \
    static __device__ __forceinline__ void release(uint64_t* to, uint64_t value) {              \
      asm volatile("st.release." scope_text ".u64 [%0], %1;" ::"l"(to), "l"(value) : "memory"); \
    }                                                                                           \
    static __device__ __forceinline__ void relaxed(uint32_t* to, uint32_t value) {              \
      asm volatile("st.relaxed." scope_text ".u32 [%0], %1;" ::"l"(to), "r"(value) : "memory"); \
    }                                                                                           \
    static __device__ __forceinline__ void relaxed(uint64_t* to, uint64_t value) {              \
      asm volatile("st.relaxed." scope_text ".u64 [%0], %1;" ::"l"(to), "l"(value) : "memory"); \
    }                                                                                           \
  };

template <Scope kScope>
struct FlagAccess;
ARB_PTX_FLAGS(kGpu, "gpu")
ARB_PTX_FLAGS(kSystem, "sys")
#undef ARB_PTX_FLAGS

template <Scope kScope, class T>
ARB_DEVICE T load_acquire(const T* from) {
  return FlagAccess<kScope>::acquire(from);
}
template <Scope kScope, class T>
ARB_DEVICE T load_relaxed(const T* from) {
  return FlagAccess<kScope>::relaxed(from);
}
template <Scope kScope, class T>
ARB_DEVICE void store_release(T* to, T value) {
  FlagAccess<kScope>::release(to, value);
}
template <Scope kScope, class T>
ARB_DEVICE void store_relaxed(T* to, T value) {
  FlagAccess<kScope>::relaxed(to, value);
}

// A vector access is, to the memory model, one access for each of its elements. So a line is two
// 64-bit elements: each pair of data and flag is then one scalar access and cannot be torn, which
// .v4.u32 would not promise (in hardware both are the same 16-byte instruction). Not .volatile:
// that is relaxed.sys with fewer freedoms for the compiler and no stronger promise.
ARB_DEVICE Line load_line(const Line* from) {
  uint64_t first;
  uint64_t second;
  asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(first), "=l"(second)
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return {static_cast<uint32_t>(first), static_cast<uint32_t>(first >> 32),
          static_cast<uint32_t>(second), static_cast<uint32_t>(second >> 32)};
}
ARB_DEVICE void store_line(Line* to, const Line& line) {
  const uint64_t first = line.data0 | static_cast<uint64_t>(line.flag0) << 32;
  const uint64_t second = line.data1 | static_cast<uint64_t>(line.flag1) << 32;
  asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)),
               "l"(first), "l"(second)
               : "memory");
}

namespace detail {

template <class T>
struct PayloadAccess;

#define ARB_PTX_PAYLOAD(type, suffix, constraint, register_type)                         \
  template <>                                                                            \
  struct PayloadAccess<type> {                                                           \
    static __device__ __forceinline__ type get(const type* from) {                       \
      register_type value;                                                               \
      asm volatile("ld.global." suffix " %0, [%1];"                                      \
                   : "=" constraint(value)                                               \
                   : "l"(__cvta_generic_to_global(from))                                 \
                   : "memory");                                                          \
      return static_cast<type>(value);                                                   \
    }                                                                                    \
    static __device__ __forceinline__ void put(type* to, type value) {                   \
      asm volatile("st.global." suffix " [%0], %1;" ::"l"(__cvta_generic_to_global(to)), \
                   constraint(static_cast<register_type>(value))                         \
                   : "memory");                                                          \
    }                                                                                    \
  };
ARB_PTX_PAYLOAD(uint8_t, "u8", "h", uint16_t)
ARB_PTX_PAYLOAD(uint16_t, "u16", "h", uint16_t)
ARB_PTX_PAYLOAD(uint32_t, "u32", "r", uint32_t)
ARB_PTX_PAYLOAD(uint64_t, "u64", "l", uint64_t)
#undef ARB_PTX_PAYLOAD

template <>
struct PayloadAccess<Vector16> {
  static __device__ __forceinline__ Vector16 get(const Vector16* from) {
    Vector16 value;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.word[0]), "=r"(value.word[1]), "=r"(value.word[2]),
                   "=r"(value.word[3])
                 : "l"(__cvta_generic_to_global(from))
                 : "memory");
    return value;
  }
  static __device__ __forceinline__ void put(Vector16* to, const Vector16& value) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
                 "r"(value.word[0]), "r"(value.word[1]), "r"(value.word[2]), "r"(value.word[3])
                 : "memory");
  }
};

}  // namespace detail

template <class T>
ARB_DEVICE T load(const T* from) {
  return detail::PayloadAccess<T>::get(from);
}
template <class T>
ARB_DEVICE void store(T* to, T value) {
  detail::PayloadAccess<T>::put(to, value);
}

/// A poll is a round trip to memory, which is pause enough: __nanosleep would add its own
/// granularity, about as long as a hop, to the latency of every hand-over.
ARB_DEVICE void pause() {}

}  // namespace arb
