#include "tests/cuda/emulated/weak_memory.hpp"

#include <algorithm>
#include <cstring>

namespace arb::emulated {
namespace {

/// Calls visit(piece) for the aligned 8-byte pieces of a store.
template <class Visit>
void cut(uintptr_t address, const void* value, size_t bytes, int owner, const Visit& visit) {
  const auto* from = static_cast<const char*>(value);
  for (size_t done = 0; done < bytes;) {
    const uintptr_t at = (address + done) & ~uintptr_t{7};
    const size_t shift = address + done - at;
    const size_t part = std::min(bytes - done, 8 - shift);
    Piece piece{.at = at, .owner = owner};
    std::memcpy(reinterpret_cast<char*>(&piece.value) + shift, from + done, part);
    std::memset(reinterpret_cast<char*>(&piece.mask) + shift, 0xff, part);
    visit(piece);
    done += part;
  }
}

}  // namespace

WeakMemory::WeakMemory(const Settings& settings, Scheduler& scheduler)
    : settings_(settings),
      scheduler_(scheduler),
      devices_(static_cast<size_t>(std::max(settings.devices, 0))) {
  // How long stores linger differs from seed to seed.
  constexpr uint64_t kPatience[] = {2, 16, 128, 2048};
  block_patience_ = kPatience[scheduler.random().below(4)];
  device_patience_ = kPatience[scheduler.random().below(4)];
}

void WeakMemory::store(Block& block, int owner, uintptr_t address, const void* value,
                       size_t bytes) {
  cut(address, value, bytes, owner, [&](const Piece& piece) {
    if (!block.waits) waiting_.push_back(&block);
    block.waits = true;
    block.stores.put(piece);
    if (settings_.stale_reads) {
      if (const uint64_t* known = block.stale.find(piece.at)) {
        block.stale.put(piece.at, (*known & ~piece.mask) | (piece.value & piece.mask));
      }
    }
    scheduler_.changed(piece.at);  // its own threads see it
  });
  while (block.stores.size() > static_cast<size_t>(settings_.buffered_stores)) {
    leave(block, block.stores.take(scheduler_.random().below(block.stores.size())));
  }
}

void WeakMemory::load(CudaThread& thread, uintptr_t address, void* value, size_t bytes, bool weak) {
  Block& block = *thread.block;
  auto* to = static_cast<char*>(value);
  const StoreQueue& device = devices_[static_cast<size_t>(block.run->image->device)];
  for (size_t done = 0; done < bytes;) {
    const uintptr_t at = (address + done) & ~uintptr_t{7};
    const size_t shift = address + done - at;
    const size_t part = std::min(bytes - done, 8 - shift);
    uint64_t piece = 0;
    const uint64_t* known = weak && settings_.stale_reads ? block.stale.find(at) : nullptr;
    if (known != nullptr && !scheduler_.random().one_in(4)) {
      piece = *known;
    } else {
      piece = __atomic_load_n(reinterpret_cast<const uint64_t*>(at), __ATOMIC_ACQUIRE);
      device.overlay(at, piece);
      block.stores.overlay(at, piece);
      if (weak && settings_.stale_reads) block.stale.put(at, piece);
    }
    std::memcpy(to + done, reinterpret_cast<char*>(&piece) + shift, part);
    done += part;
    if (done < bytes && scheduler_.random().one_in(8)) scheduler_.give_way(thread);
  }
}

void WeakMemory::wrote(Block& block, uintptr_t address, size_t bytes) {
  for (uintptr_t at = address & ~uintptr_t{7}; at < address + bytes; at += 8) {
    block.stale.forget(at);
  }
}

void WeakMemory::arrive(const Piece& piece) {
  for (int half = 0; half < 2; ++half) {
    const auto mask = static_cast<uint32_t>(piece.mask >> (32 * half));
    const auto value = static_cast<uint32_t>(piece.value >> (32 * half));
    const uintptr_t at = piece.at + static_cast<uintptr_t>(4 * half);
    if (piece.mask == ~uint64_t{0}) {
      __atomic_store_n(reinterpret_cast<uint64_t*>(piece.at), piece.value, __ATOMIC_RELEASE);
      break;
    }
    if (mask == ~uint32_t{0}) {
      __atomic_store_n(reinterpret_cast<uint32_t*>(at), value, __ATOMIC_RELEASE);
      continue;
    }
    for (int byte = 0; byte < 4; ++byte) {  // neighbours may be somebody else's
      if ((mask >> (8 * byte) & 0xff) != 0) {
        reinterpret_cast<uint8_t*>(at)[byte] = static_cast<uint8_t>(value >> (8 * byte));
      }
    }
  }
  scheduler_.changed(piece.at);
}

void WeakMemory::leave(Block& block, const Piece& piece) {
  const int device = block.run->image->device;
  if (piece.owner == device) {
    arrive(piece);
  } else {
    devices_[static_cast<size_t>(device)].put(piece);
    scheduler_.changed(piece.at);
  }
}

void WeakMemory::drain_block(Block& block) {
  while (!block.stores.empty()) leave(block, block.stores.take(block.stores.size() - 1));
  if (!block.waits) return;
  block.waits = false;
  *std::find(waiting_.begin(), waiting_.end(), &block) = waiting_.back();
  waiting_.pop_back();
}

void WeakMemory::drain_device(int device) {
  StoreQueue& queue = devices_[static_cast<size_t>(device)];
  while (!queue.empty()) arrive(queue.take(queue.size() - 1));
}

void WeakMemory::release(Block& block, bool system) {
  drain_block(block);
  if (system) drain_device(block.run->image->device);
}

void WeakMemory::store_released(Block& block, int owner, uintptr_t address, const void* value,
                                size_t bytes, bool system) {
  release(block, system);
  const int device = block.run->image->device;
  cut(address, value, bytes, owner, [&](const Piece& piece) {
    block.stale.forget(piece.at);
    if (system || owner == device) {
      arrive(piece);
    } else {
      devices_[static_cast<size_t>(device)].put(piece);
      scheduler_.changed(piece.at);
    }
  });
}

void WeakMemory::push_block(size_t position) {
  Block& block = *waiting_[position];
  if (!block.stores.empty()) {
    leave(block, block.stores.take(scheduler_.random().below(block.stores.size())));
  }
  if (block.stores.empty()) {
    block.waits = false;
    waiting_[position] = waiting_.back();
    waiting_.pop_back();
  }
}

void WeakMemory::tick() {
  Random& random = scheduler_.random();
  if (!waiting_.empty() && random.one_in(block_patience_)) {
    push_block(random.below(waiting_.size()));
  }
  if (random.one_in(device_patience_)) {
    StoreQueue& queue = devices_[random.below(devices_.size())];
    if (!queue.empty()) arrive(queue.take(random.below(queue.size())));
  }
}

bool WeakMemory::push() {
  Random& random = scheduler_.random();
  std::vector<StoreQueue*> queues;
  for (StoreQueue& queue : devices_) {
    if (!queue.empty()) queues.push_back(&queue);
  }
  const size_t choices = queues.size() + waiting_.size();
  if (choices == 0) return false;
  const size_t choice = random.below(choices);
  if (choice < queues.size()) {
    StoreQueue& queue = *queues[choice];
    arrive(queue.take(random.below(queue.size())));
  } else {
    push_block(choice - queues.size());
  }
  return true;
}

void WeakMemory::finish(KernelRun& run) {
  for (const auto& block : run.blocks) drain_block(*block);
  drain_device(run.image->device);
}

void WeakMemory::forget(Block& block) {
  while (!block.stores.empty()) block.stores.take(block.stores.size() - 1);
  drain_block(block);
}

}  // namespace arb::emulated
