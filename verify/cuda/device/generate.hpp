// Writes inputs, and the poison under outputs.
#pragma once

#include "collectives/runners/cuda/device/thread.hpp"
#include "verify/cuda/device/elements.hpp"
#include "verify/cuda/tables.hpp"
#include "verify/element.hpp"
#include "verify/poison.hpp"

namespace arb {

struct GenerateBody {
  const GenerateArgs& args;
  const Thread& thread;

  template <class T>
  ARB_DEVICE void run() const {
    const uint64_t step = args.blocks * thread.count();
    for (uint64_t i = uint64_t{thread.block()} * thread.count() + thread.index(); i < args.count;
         i += step) {
      store_element<T>(args.to, i, make_element<T>(args.data, args.rank, args.first + i));
    }
  }
};

ARB_DEVICE void generate_elements(const GenerateArgs& args, const Thread& thread) {
  with_type(args.data.dtype, GenerateBody{args, thread});
}

/// Single bytes up to the first address that 16 divides and behind the last.
ARB_DEVICE void poison_bytes(const PoisonArgs& args, const Thread& thread) {
  constexpr uint64_t kWide = sizeof(Vector16);
  const uint64_t step = args.blocks * thread.count();
  const uint64_t own = uint64_t{thread.block()} * thread.count() + thread.index();
  const uint64_t odd = reinterpret_cast<uintptr_t>(args.at) % kWide;
  const uint64_t to_wide = odd == 0 ? 0 : kWide - odd;
  const uint64_t head = to_wide < args.bytes ? to_wide : args.bytes;
  const uint64_t wide = (args.bytes - head) / kWide;
  uint32_t word = 0;
  for (uint32_t k = 0; k < 4; ++k) word |= uint32_t{poison_byte(head + k)} << (8 * k);
  auto* const vectors = reinterpret_cast<Vector16*>(args.at + head);
  for (uint64_t i = own; i < wide; i += step) {
    store(vectors + i, Vector16{{word, word, word, word}});
  }
  auto* const bytes = reinterpret_cast<uint8_t*>(args.at);
  for (uint64_t i = own; i < head; i += step) store(bytes + i, poison_byte(i));
  for (uint64_t i = head + wide * kWide + own; i < args.bytes; i += step) {
    store(bytes + i, poison_byte(i));
  }
}

}  // namespace arb
