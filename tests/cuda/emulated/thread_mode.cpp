#include "tests/cuda/emulated/thread_mode.hpp"

#include <string_view>

#include "tests/cuda/emulated/scheduler.hpp"

namespace arb::emulated {
namespace {

void open(Block& block) {
  block.arrived = 0;
  ++block.generation;
  block.opened.notify_all();
}

void complain(Block& block, const std::string& what) {
  if (block.strict && block.misuse.empty()) block.misuse = what;
}

void run(CudaThread& thread) {
  set_current_thread(&thread);
  Block& block = *thread.block;
  const KernelImage& image = *block.run->image;
  image.invoke(image.function, image.argument.data());
  set_current_thread(nullptr);
  {
    const std::lock_guard guard(block.mutex);
    ++block.exited;
    if (block.arrived != 0) {
      complain(block, "a thread left while others wait at a barrier");
      if (block.arrived == block.threads.size() - block.exited) open(block);
    }
  }
  block.left.fetch_sub(1, std::memory_order_release);
}

}  // namespace

void start_thread_block(Block& block, const Settings& settings) {
  block.strict = settings.strict_barriers;
  const unsigned count = block.run->image->threads;
  block.left.store(count, std::memory_order_relaxed);
  for (unsigned i = 0; i < count; ++i) {
    auto thread = std::make_unique<CudaThread>();
    thread->block = &block;
    thread->index = i;
    block.threads.push_back(thread.get());
    block.own_threads.push_back(std::move(thread));
  }
  for (CudaThread* thread : block.threads) block.workers.emplace_back(run, std::ref(*thread));
}

void join_thread_block(Block& block) {
  for (std::thread& worker : block.workers) worker.join();
  block.workers.clear();
}

void thread_barrier(CudaThread& thread, const char* file, int line) {
  Block& block = *thread.block;
  std::unique_lock lock(block.mutex);
  thread.file = file;
  thread.line = line;
  if (block.exited != 0) {
    complain(block, std::string("a thread waits at the barrier ") + file + ":" +
                        std::to_string(line) + " after others have left");
  }
  const CudaThread* first = block.first_arrived;
  if (block.arrived == 0) {
    block.first_arrived = &thread;
  } else if (first->line != line || std::string_view(first->file) != file) {
    complain(block, std::string("barriers at ") + file + ":" + std::to_string(line) + " and " +
                        first->file + ":" + std::to_string(first->line));
  }
  if (++block.arrived == block.threads.size() - block.exited) {
    open(block);
    return;
  }
  const uint64_t generation = block.generation;
  block.opened.wait(lock, [&] { return block.generation != generation; });
}

}  // namespace arb::emulated
