// A block's end of a FIFO as thread 0 holds it between messages: the table entry and the counter,
// written back when another end is used or the operation ends. It lies in shared memory, since what
// one thread keeps in registers costs as many of them in all threads.
#pragma once

#include "collectives/runners/cuda/device/memory.hpp"
#include "collectives/runners/cuda/device/wait.hpp"
#include "collectives/runners/cuda/tables.hpp"

namespace arb {

/// Counters are plain memory: only this block touches them, and operations follow each other.
class Port {
 public:
  /// Instead of a constructor, which shared memory cannot have.
  ARB_DEVICE void reset() { index_ = kNone; }

  /// Makes `index` of the block's ends the one in use.
  ARB_DEVICE void use(const DeviceFifoEnd* ends, int index) {
    if (index == index_) return;
    put_back();
    index_ = index;
    end_ = ends + index;
    slots_ = end_->slots;
    lengths_ = end_->lengths;
    slot_bytes_ = end_->slot_bytes;
    slot_count_ = end_->slot_count;
    count_ = load(end_->count);
    seen_ = 0;
    slot_ = static_cast<uint32_t>(count_ % slot_count_);
  }
  ARB_DEVICE void put_back() const {
    if (index_ != kNone) store(end_->count, count_);
  }
  /// Sender, before next(): for a host that carries the message on.
  ARB_DEVICE void note_length(uint64_t bytes) const {
    if (lengths_ != nullptr) store(lengths_ + slot_, bytes);
  }
  /// Behind the last message waited for or sent.
  ARB_DEVICE void next() {
    ++count_;
    if (++slot_ == slot_count_) slot_ = 0;
  }

  ARB_DEVICE uint64_t count() const { return count_; }
  ARB_DEVICE int peer() const { return end_->peer; }
  ARB_DEVICE std::byte* slot() const { return slots_ + slot_ * slot_bytes_; }

  /// Receiver, simple: waits for the next message.
  ARB_DEVICE bool wait_for_data(const DeviceControl& control) {
    if (seen_ > count_) return true;
    seen_ = wait_for_count<Scope::kSystem>(end_->tail, count_ + 1, control);
    return seen_ > count_;
  }
  /// Sender: waits for a free slot.
  ARB_DEVICE bool wait_for_slot(const DeviceControl& control) {
    if (count_ < seen_ + slot_count_) return true;
    seen_ = wait_for_count<Scope::kSystem>(end_->head, count_ + 1 - slot_count_, control);
    return count_ < seen_ + slot_count_;
  }

  ARB_DEVICE void publish_tail() const { store_release<Scope::kSystem>(end_->tail, count_); }
  ARB_DEVICE void release_head() const { store_release<Scope::kSystem>(end_->head, count_); }
  ARB_DEVICE void relax_head() const { store_relaxed<Scope::kSystem>(end_->head, count_); }

 private:
  int32_t index_;
  uint32_t slot_;  // count_ % slot_count_
  uint32_t slot_count_;
  uint64_t count_;
  uint64_t seen_;  // of the counter that the other end moves, when last polled
  const DeviceFifoEnd* end_;
  std::byte* slots_;
  uint64_t* lengths_;
  uint64_t slot_bytes_;
};

}  // namespace arb
