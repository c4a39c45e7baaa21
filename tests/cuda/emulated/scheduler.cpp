#include "tests/cuda/emulated/scheduler.hpp"

#include <cmath>
#include <cstdlib>
#include <utility>

namespace arb::emulated {
namespace {

constexpr int64_t kCostUnit = 1 << 16;
thread_local CudaThread* current = nullptr;
// The scheduler whose fibers run; new fibers find it here.
Scheduler* running = nullptr;
// Outlives machines: to make stacks takes longer than to use them.
StackPool& stacks = *new StackPool;

}  // namespace

// Not inlined: a fiber may come back on another OS thread than it left.
__attribute__((noinline)) CudaThread* current_thread() { return current; }
__attribute__((noinline)) void set_current_thread(CudaThread* thread) { current = thread; }

Scheduler::Scheduler(const Settings& settings)
    : settings_(settings), random_(settings.seed), buckets_(kBuckets) {
  payload_cost_ = static_cast<int64_t>(settings.payload_switch * kCostUnit);
  flag_cost_ = static_cast<int64_t>(settings.flag_switch * kCostUnit);
  constexpr uint64_t kBursts[] = {1, 4, 32, 256};
  burst_ = kBursts[random_.below(4)];
  refill_budget();
}

CudaThread* Scheduler::new_thread() {
  if (spare_threads_.empty()) {
    all_threads_.push_back(std::make_unique<CudaThread>());
    for (Watch& watch : all_threads_.back()->watches) watch.thread = all_threads_.back().get();
    spare_threads_.push_back(all_threads_.back().get());
  }
  CudaThread* thread = spare_threads_.back();
  spare_threads_.pop_back();
  return thread;
}

bool Scheduler::start_block(Block& block) {
  const unsigned count = block.run->image->threads;
  block.threads.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    CudaThread* thread = new_thread();
    thread->block = &block;
    thread->index = i;
    thread->watch_count = 0;
    thread->watches_all = false;
    block.threads.push_back(thread);
    if (!stacks.take(thread->fiber)) {
      thread->state = CudaThread::State::kDone;
      return false;
    }
    prepare(thread->fiber, &Scheduler::enter, thread);
    make_runnable(*thread);
  }
  changed();
  return true;
}

void Scheduler::enter(void* argument) {
  entered(running->main_);
  auto* thread = static_cast<CudaThread*>(argument);
  const KernelImage& image = *thread->block->run->image;
  image.invoke(image.function, image.argument.data());
  running->finish(*thread);
  running->leave(*thread, true);
  std::abort();
}

void Scheduler::die(CudaThread& thread) {
  take_from_runnable(thread);
  thread.state = CudaThread::State::kDone;
  stop_ = true;
  leave(thread, true);
  std::abort();
}

void Scheduler::leave(CudaThread& thread, bool last) {
  set_current_thread(nullptr);
  switch_fiber(thread.fiber, main_, last);
}

uint64_t Scheduler::run(uint64_t picks) {
  running = this;
  uint64_t done = 0;
  stop_ = false;
  while (done < picks && !active_.empty() && !stop_) {
    if (on_pick) on_pick();
    Block& block = pick_block();
    CudaThread& thread = pick_thread(block);
    ++done;
    ++picks_;
    if (thread.asleep_until > picks_ && active_.size() > 1 && !random_.one_in(32)) continue;
    ++switches_;
    set_current_thread(&thread);
    switch_fiber(main_, thread.fiber);
    if (thread.state == CudaThread::State::kDone) {
      stacks.give_back(thread.fiber);
      if (block.exited == block.threads.size()) {
        on_block_end(block);  // may free the block
        break;                // what its stream has next may overtake those who still run
      }
    }
  }
  return done;
}

Block& Scheduler::pick_block() {
  if (burst_left_ > 0 && last_block_ != nullptr && !last_block_->runnable.empty()) {
    --burst_left_;
    return *last_block_;
  }
  Block* block = nullptr;
  for (int tries = 0; tries < 8; ++tries) {
    block = active_[random_.below(active_.size())];
    if (block->asleep_until <= picks_) break;
  }
  if (settings_.delays && random_.one_in(512)) {
    block->asleep_until = picks_ + random_.below(uint64_t{1} << random_.below(16));
  }
  last_block_ = block;
  burst_left_ = random_.below(burst_);
  return *block;
}

CudaThread& Scheduler::pick_thread(Block& block) {
  CudaThread* thread = nullptr;
  for (int tries = 0; tries < 4; ++tries) {
    thread = block.runnable[random_.below(block.runnable.size())];
    if (thread->asleep_until <= picks_) break;
  }
  if (settings_.delays && random_.one_in(256)) {
    thread->asleep_until = picks_ + random_.below(uint64_t{1} << random_.below(14));
  }
  return *thread;
}

void Scheduler::refill_budget() {
  budget_ = static_cast<int64_t>(-std::log(random_.unit()) * kCostUnit);
}

void Scheduler::out_of_budget(CudaThread& thread) {
  refill_budget();
  give_way(thread);
}

void Scheduler::give_way(CudaThread& thread) { leave(thread, false); }

void Scheduler::make_runnable(CudaThread& thread) {
  Block& block = *thread.block;
  thread.state = CudaThread::State::kRunnable;
  thread.slot = static_cast<uint32_t>(block.runnable.size());
  block.runnable.push_back(&thread);
  if (block.runnable.size() == 1) {
    block.slot = static_cast<uint32_t>(active_.size());
    active_.push_back(&block);
  }
}

void Scheduler::take_from_runnable(CudaThread& thread) {
  Block& block = *thread.block;
  CudaThread* moved = block.runnable.back();
  block.runnable[thread.slot] = moved;
  moved->slot = thread.slot;
  block.runnable.pop_back();
  if (block.runnable.empty()) {
    Block* last = active_.back();
    active_[block.slot] = last;
    last->slot = block.slot;
    active_.pop_back();
    if (last_block_ == &block) last_block_ = nullptr;
  }
}

void Scheduler::finish(CudaThread& thread) {
  Block& block = *thread.block;
  take_from_runnable(thread);
  thread.state = CudaThread::State::kDone;
  ++block.exited;
  changed();
  if (block.arrived == 0) return;
  if (settings_.strict_barriers) {
    on_misuse(block,
              "thread " + std::to_string(thread.index) + " left while others wait at a barrier");
  }
  if (block.arrived == block.threads.size() - block.exited) open_barrier(block);
}

void Scheduler::barrier(CudaThread& thread, const char* file, int line) {
  Block& block = *thread.block;
  thread.file = file;
  thread.line = line;
  if (settings_.strict_barriers) {
    if (block.exited != 0) {
      on_misuse(block, "thread " + std::to_string(thread.index) + " waits at a barrier (" + file +
                           ":" + std::to_string(line) + ") after others have left");
    }
    const CudaThread* first = block.first_arrived;
    if (block.arrived != 0 && (first->line != line || std::string_view(first->file) != file)) {
      on_misuse(block, "thread " + std::to_string(thread.index) + " waits at the barrier " + file +
                           ":" + std::to_string(line) + ", thread " + std::to_string(first->index) +
                           " at " + first->file + ":" + std::to_string(first->line));
    }
  }
  if (block.arrived == 0) block.first_arrived = &thread;
  changed();
  if (++block.arrived == block.threads.size() - block.exited) {
    open_barrier(block);
    access(thread, flag_cost_);
    return;
  }
  take_from_runnable(thread);
  thread.state = CudaThread::State::kBarrier;
  leave(thread, false);
}

void Scheduler::open_barrier(Block& block) {
  block.arrived = 0;
  for (CudaThread* thread : block.threads) {
    if (thread->state == CudaThread::State::kBarrier) make_runnable(*thread);
  }
}

void Scheduler::abandon(Block& block) {
  for (CudaThread* thread : block.threads) {
    if (thread->state == CudaThread::State::kRunnable) take_from_runnable(*thread);
    if (thread->state == CudaThread::State::kParked) unlink(*thread);
    thread->state = CudaThread::State::kDone;
    stacks.give_back(thread->fiber);
    thread->block = nullptr;
    spare_threads_.push_back(thread);
  }
  block.threads.clear();
  if (last_block_ == &block) last_block_ = nullptr;
}

}  // namespace arb::emulated
