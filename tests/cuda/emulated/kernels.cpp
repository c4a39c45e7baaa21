// Kernels of the machine: how they start, end, and are killed.
#include <algorithm>

#include "tests/cuda/emulated/machine.hpp"
#include "tests/cuda/emulated/thread_mode.hpp"

namespace arb::emulated {

std::string KernelRun::describe() const {
  return image->name + " (launch " + std::to_string(number) + ", device " +
         std::to_string(image->device) + ")";
}

void* SharedMemory::find(const void* key, size_t bytes, uint64_t garbage) {
  for (size_t i = 0; i < entries_.size();) {
    Entry& entry = entries_[i];
    const void* known = entry.key.load(std::memory_order_acquire);
    if (known == key) return reinterpret_cast<unsigned char*>(memory_.data()) + entry.offset;
    if (known != nullptr) {
      ++i;
      continue;
    }
    const std::lock_guard guard(mutex_);
    if (entry.key.load(std::memory_order_relaxed) != nullptr) continue;  // another was quicker
    if (memory_.empty()) memory_.resize(kBytes / sizeof(std::max_align_t));
    entry.offset = used_;
    used_ += (bytes + 15) / 16 * 16;
    if (used_ > kBytes) return nullptr;
    // As on a GPU, what it holds at first means nothing.
    auto* at = reinterpret_cast<unsigned char*>(memory_.data()) + entry.offset;
    for (size_t k = 0; k < bytes; ++k) {
      at[k] = static_cast<unsigned char>(garbage >> (8 * (k % 8)));
    }
    entry.key.store(key, std::memory_order_release);
    return at;
  }
  return nullptr;
}

bool Machine::may_begin(const KernelImage& image) const {
  return settings.concurrency == Concurrency::kGenerous ||
         devices[static_cast<size_t>(image.device)].runs.empty();
}

cudaError_t Machine::begin(const std::shared_ptr<const KernelImage>& image,
                           std::shared_ptr<KernelRun>& run) {
  ++counters.launches;
  if (image->cooperative) ++counters.cooperative_launches;
  run = std::make_shared<KernelRun>();
  run->image = image;
  run->number = counters.launches;
  if (++kernels == settings.faults.fail_kernel) {
    report(run->describe() + ": fails on purpose");
    return cudaErrorLaunchFailure;
  }
  devices[static_cast<size_t>(image->device)].runs.push_back(run);
  start_more_blocks(*run);
  return cudaSuccess;
}

uint64_t Machine::live_threads() const {
  uint64_t count = 0;
  for (const Device& device : devices) {
    for (const auto& run : device.runs) count += uint64_t{run->live_blocks} * run->image->threads;
  }
  return count;
}

void Machine::start_more_blocks(KernelRun& run) {
  const KernelImage& image = *run.image;
  while (run.next_block < image.blocks && !run.failed) {
    if (!image.cooperative && run.live_blocks > 0) {
      if (settings.concurrency == Concurrency::kMean &&
          run.live_blocks >= static_cast<uint32_t>(settings.resident_blocks)) {
        return;
      }
      if (live_threads() + image.threads > static_cast<uint64_t>(settings.most_fibers)) return;
    }
    if (!start_block(run)) {
      report(run.describe() + ": no memory for the stacks of its threads");
      run.failed = true;
    }
  }
}

bool Machine::start_block(KernelRun& run) {
  run.blocks.push_back(std::make_unique<Block>());
  Block& block = *run.blocks.back();
  block.run = &run;
  block.index = run.next_block++;
  ++run.live_blocks;
  if (threads) {
    start_thread_block(block, settings);
    return true;
  }
  return scheduler.start_block(block);
}

void Machine::block_ended(Block& block) {
  KernelRun& run = *block.run;
  scheduler.abandon(block);
  --run.live_blocks;
  if (run.failed) return;
  if (run.next_block < run.image->blocks) {
    start_more_blocks(run);
  } else if (run.live_blocks == 0) {
    finish(run);
  }
}

void Machine::finish(KernelRun& run) {
  if (weak.buffers()) weak.finish(run);
  run.done = true;
  run.blocks.clear();
  scheduler.changed();
  auto& runs = devices[static_cast<size_t>(run.image->device)].runs;
  runs.erase(std::find_if(runs.begin(), runs.end(),
                          [&](const auto& other) { return other.get() == &run; }));
}

bool Machine::advance_threads() {
  bool moved = false;
  for (Device& device : devices) {
    const auto runs = device.runs;  // finish() changes it
    for (const auto& run : runs) {
      for (size_t i = 0; i < run->blocks.size(); ++i) {
        Block& block = *run->blocks[i];
        if (block.workers.empty() || block.left.load(std::memory_order_acquire) != 0) continue;
        join_thread_block(block);
        if (!block.misuse.empty()) {
          report(run->describe() + ", block " + std::to_string(block.index) + ": " + block.misuse);
          run->failed = true;
        }
        moved = true;
        --run->live_blocks;
        start_more_blocks(*run);
      }
      if (run->live_blocks != 0) continue;
      if (run->failed) {
        fail(run->image->device, cudaErrorLaunchFailure);
      } else {
        finish(*run);
      }
      moved = true;
    }
  }
  return moved;
}

void Machine::kill(KernelRun& run) {
  run.failed = true;
  for (const auto& block : run.blocks) {
    if (threads) {
      join_thread_block(*block);  // they cannot be killed
    } else {
      weak.forget(*block);
      scheduler.abandon(*block);
    }
  }
  run.blocks.clear();
  run.live_blocks = 0;
  run.done = true;
}

void Machine::bury_failed_kernels() {
  for (int device = 0; device < static_cast<int>(devices.size()); ++device) {
    for (const auto& run : devices[static_cast<size_t>(device)].runs) {
      if (!run->failed) continue;
      fail(device, run->error);
      break;
    }
  }
}

void Machine::fail(int device, cudaError_t error) {
  Device& failed = devices[static_cast<size_t>(device)];
  if (failed.failure == cudaSuccess) failed.failure = error;
  for (const auto& run : failed.runs) kill(*run);
  failed.runs.clear();
  streams.drop(device);
  scheduler.changed();
}

void Machine::reset(int device) {
  Device& old = devices[static_cast<size_t>(device)];
  for (const auto& run : old.runs) kill(*run);
  old.runs.clear();
  streams.drop(device);
  old.failure = cudaSuccess;
  std::fill(old.peers.begin(), old.peers.end(), 0);
  old.peers[static_cast<size_t>(device)] = 1;
  space.release_all(device);
}

const Allocation* Machine::check(CudaThread& thread, uintptr_t address, size_t bytes,
                                 const char* what) {
  const Allocation* found = space.holds(address, bytes);
  KernelRun& run = *thread.block->run;
  const Device& device = devices[static_cast<size_t>(run.image->device)];
  const char* wrong = nullptr;
  cudaError_t error = cudaErrorIllegalAddress;
  if (address % bytes != 0) {
    wrong = "misaligned";
    error = cudaErrorMisalignedAddress;
  } else if (found == nullptr) {
    wrong = "outside of any live allocation";
  } else if (found->owner >= 0 && device.peers[static_cast<size_t>(found->owner)] == 0) {
    wrong = "of a device to which peer access is not enabled";
  }
  if (wrong == nullptr) return found;
  report(run.describe() + ", block " + std::to_string(thread.block->index) + ", thread " +
         std::to_string(thread.index) + ": " + what + " of " + std::to_string(bytes) +
         " bytes at " + name_of(address) + ", " + wrong);
  run.failed = true;
  run.error = error;
  scheduler.die(thread);
}

}  // namespace arb::emulated
