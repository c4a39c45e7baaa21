// value := received (op) local, to where it is stored and to a slot, by all threads of a block.
// 16 bytes at a time where all addresses allow it, several of them in flight, else by elements.
//
// A thread loads what it needs of a place before it stores there, and no other thread touches that
// place; so `store` may be `local`.
#pragma once

#include "collectives/runners/cuda/device/thread.hpp"
#include "collectives/runners/cuda/device/words.hpp"

namespace arb {

inline constexpr int kInFlight = 4;  // units a thread loads before it stores the first

/// Whatever is null does not take part; there is a source and a destination.
struct Move {
  const std::byte* received;
  const std::byte* local;
  std::byte* store;
  std::byte* slot;
  uint64_t bytes;  // a multiple of the element
  int ranks;       // not 0: the result is divided by it
};

namespace detail {

ARB_DEVICE bool aligned16(const void* a, const void* b, const void* c, const void* d) {
  const auto at = [](const void* p) { return reinterpret_cast<uintptr_t>(p); };
  return ((at(a) | at(b) | at(c) | at(d)) % sizeof(Vector16)) == 0;
}

/// Units [first, end) of type Unit, each made from those of the sources by `make`.
template <class Unit, bool kTwoSources, class Make>
ARB_DEVICE void move_units(const Thread& thread, const Move& move, uint64_t first, uint64_t end,
                           const Make& make) {
  const auto* a =
      reinterpret_cast<const Unit*>(move.received != nullptr ? move.received : move.local);
  const auto* b = reinterpret_cast<const Unit*>(move.local);
  auto* store_to = reinterpret_cast<Unit*>(move.store);
  auto* slot_to = reinterpret_cast<Unit*>(move.slot);
  const uint64_t stride = thread.count();
  for (uint64_t i = first + thread.index(); i < end; i += kInFlight * stride) {
    Unit left[kInFlight] = {};
    Unit right[kInFlight] = {};
    ARB_UNROLL
    for (int k = 0; k < kInFlight; ++k) {
      const uint64_t at = i + k * stride;
      if (at < end) {
        left[k] = load(a + at);
        if constexpr (kTwoSources) right[k] = load(b + at);
      }
    }
    ARB_UNROLL
    for (int k = 0; k < kInFlight; ++k) {
      const uint64_t at = i + k * stride;
      if (at < end) {
        const Unit value = make(left[k], right[k]);
        if (store_to != nullptr) store(store_to + at, value);
        if (slot_to != nullptr) store(slot_to + at, value);
      }
    }
  }
}

struct Take {
  template <class Unit>
  ARB_DEVICE Unit operator()(const Unit& a, const Unit&) const {
    return a;
  }
};

template <class T, class Operator>
struct Combine {
  int ranks;
  template <class Unit>
  ARB_DEVICE Unit operator()(const Unit& a, const Unit& b) const {
    return combine<T, Operator>(a, b, ranks);
  }
};

struct Reduction {
  const Thread& thread;
  const Move& move;

  template <class T, class Operator>
  ARB_DEVICE void run() const {
    uint64_t vectors = 0;
    if (aligned16(move.received, move.local, move.store, move.slot)) {
      vectors = move.bytes / sizeof(Vector16);
      move_units<Vector16, true>(thread, move, 0, vectors, Combine<T, Operator>{move.ranks});
    }
    move_units<Raw<T>, true>(thread, move, vectors * (sizeof(Vector16) / sizeof(T)),
                             move.bytes / sizeof(T), Combine<T, Operator>{move.ranks});
  }
};

template <class Unit>
ARB_DEVICE void copy_units(const Thread& thread, const Move& move, uint64_t done) {
  move_units<Unit, false>(thread, move, done / sizeof(Unit), move.bytes / sizeof(Unit), Take{});
}

ARB_DEVICE void copy(const Thread& thread, const Move& move, Dtype dtype) {
  uint64_t done = 0;
  if (aligned16(move.received, move.local, move.store, move.slot)) {
    copy_units<Vector16>(thread, move, 0);
    done = move.bytes / sizeof(Vector16) * sizeof(Vector16);
  }
  switch (element_bytes(dtype)) {
    case 1:
      return copy_units<uint8_t>(thread, move, done);
    case 2:
      return copy_units<uint16_t>(thread, move, done);
    case 4:
      return copy_units<uint32_t>(thread, move, done);
    default:
      return copy_units<uint64_t>(thread, move, done);
  }
}

}  // namespace detail

ARB_DEVICE void move_payload(const Thread& thread, const Move& move, Dtype dtype, Op op) {
  if (move.received != nullptr && move.local != nullptr) {
    dispatch(dtype, op, detail::Reduction{thread, move});
  } else {
    detail::copy(thread, move, dtype);
  }
}

}  // namespace arb
