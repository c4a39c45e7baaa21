// Single-producer single-consumer FIFO of k slots between two ranks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collectives/runners/host/cpu.hpp"

namespace arb {

/// One cache line: the flag travels together with a small payload, or with the address of a large
/// one.
struct alignas(kCacheLine) Slot {
  static constexpr size_t kInlineBytes = kCacheLine - 16;

  std::atomic<uint64_t> published{0};  // number of the message in it, counted from 1; never reset
  const std::byte* data =
      nullptr;  // where the payload is: inline, in the slot's memory, or the sender's buffer
  alignas(16) std::byte inline_data[kInlineBytes];
};

/// What both ends see. Zeroed memory is an empty FIFO.
struct alignas(kCacheLine) FifoCredit {
  std::atomic<uint64_t> consumed{0};  // messages the receiver has finished reading
};

/// A process's view of a FIFO; slots, credit and memory lie where both ends see them. In a FIFO
/// from or to a rank elsewhere, whoever carries the messages plays the missing end.
struct Fifo {
  Slot* slots = nullptr;
  FifoCredit* credit = nullptr;
  std::byte* memory = nullptr;  // of the slots' payload; null if every message is inline or direct
  size_t* lengths = nullptr;    // [slot] bytes published, for who carries them elsewhere; or null
  uint32_t slot_count = 0;
  size_t slot_bytes = 0;
  int sender = -1;
  int receiver = -1;
  int channel = 0;
};

/// One lane's end of a FIFO: a private, monotone message counter that survives operations.
struct FifoEnd {
  Fifo* fifo = nullptr;
  uint64_t count = 0;     // messages sent (received) so far
  uint64_t consumed = 0;  // sender: last seen value of the credit
  uint32_t index = 0;     // count % slot_count

  void next() {
    ++count;
    if (++index == fifo->slot_count) index = 0;
  }

  Slot& slot() const { return fifo->slots[index]; }

  // Receiver's side.
  bool full() const { return slot().published.load(std::memory_order_acquire) == count + 1; }
  void release() {
    next();
    fifo->credit->consumed.store(count, std::memory_order_release);
  }

  // Sender's side.
  bool free() {
    if (count - consumed < fifo->slot_count) return true;
    consumed = fifo->credit->consumed.load(std::memory_order_acquire);
    return count - consumed < fifo->slot_count;
  }
  std::byte* payload(size_t bytes) const {
    return bytes <= Slot::kInlineBytes ? slot().inline_data
                                       : fifo->memory + index * fifo->slot_bytes;
  }
  void publish(const std::byte* data, size_t bytes) {
    Slot& to = slot();
    to.data = data;
    if (fifo->lengths != nullptr) fifo->lengths[index] = bytes;
    to.published.store(count + 1, std::memory_order_release);
    next();
  }
  /// Has the receiver read everything that was sent?
  bool drained() {
    if (consumed == count) return true;
    consumed = fifo->credit->consumed.load(std::memory_order_acquire);
    return consumed == count;
  }
};

}  // namespace arb
