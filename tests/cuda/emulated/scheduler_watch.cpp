// Threads that poll: who looks where, and who is to look again.
#include "tests/cuda/emulated/scheduler.hpp"

namespace arb::emulated {

void Scheduler::watch(CudaThread& thread, uintptr_t address) {
  const uintptr_t granule = address & ~uintptr_t{15};
  for (int i = 0; i < thread.watch_count; ++i) {
    if (thread.watches[static_cast<size_t>(i)].address == granule) return;
  }
  if (thread.watch_count == 0) thread.changes = changes_;
  if (thread.watch_count == CudaThread::kMostWatches) {
    thread.watches_all = true;
    return;
  }
  Watch& watch = thread.watches[thread.watch_count++];
  watch.address = granule;
  watch.bucket = bucket_of(address);
  watch.version = buckets_[watch.bucket].version;
}

void Scheduler::park(CudaThread& thread) {
  bool seen = false;  // whether somebody stored since it looked
  for (int i = 0; i < thread.watch_count; ++i) {
    const Watch& watch = thread.watches[static_cast<size_t>(i)];
    seen = seen || buckets_[watch.bucket].version != watch.version;
  }
  if (thread.watches_all) seen = seen || thread.changes != changes_;
  thread.watches_all = thread.watches_all || thread.watch_count == 0;
  if (!seen) {
    take_from_runnable(thread);
    thread.state = CudaThread::State::kParked;
    link(thread);
  }
  leave(thread, false);
  thread.watch_count = 0;
  thread.watches_all = false;
}

void Scheduler::link(CudaThread& thread) {
  ++parked_;
  if (thread.watches_all) {
    thread.slot = static_cast<uint32_t>(watch_all_.size());
    watch_all_.push_back(&thread);
    return;
  }
  for (int i = 0; i < thread.watch_count; ++i) {
    Watch& watch = thread.watches[static_cast<size_t>(i)];
    Bucket& bucket = buckets_[watch.bucket];
    watch.previous = nullptr;
    watch.next = bucket.first;
    if (bucket.first != nullptr) bucket.first->previous = &watch;
    bucket.first = &watch;
  }
}

void Scheduler::unlink(CudaThread& thread) {
  --parked_;
  if (thread.watches_all) {
    CudaThread* last = watch_all_.back();
    watch_all_[thread.slot] = last;
    last->slot = thread.slot;
    watch_all_.pop_back();
    return;
  }
  for (int i = 0; i < thread.watch_count; ++i) {
    Watch& watch = thread.watches[static_cast<size_t>(i)];
    if (watch.next != nullptr) watch.next->previous = watch.previous;
    if (watch.previous != nullptr) {
      watch.previous->next = watch.next;
    } else {
      buckets_[watch.bucket].first = watch.next;
    }
  }
}

void Scheduler::wake(CudaThread& thread) {
  unlink(thread);
  make_runnable(thread);
}

void Scheduler::wake(Bucket& bucket) {
  while (bucket.first != nullptr) wake(*bucket.first->thread);
}

void Scheduler::wake_those_who_watch_all() {
  while (!watch_all_.empty()) wake(*watch_all_.back());
}

void Scheduler::wake_all() {
  if (parked_ == 0) return;
  for (Bucket& bucket : buckets_) {
    if (bucket.first != nullptr) wake(bucket);
  }
  wake_those_who_watch_all();
}

}  // namespace arb::emulated
