// Decides which CUDA thread goes on. A thread gives way at barriers, when it polls, and now and
// then at an access to memory. One that polls is put aside until somebody stores where it looked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/cuda/emulated/emulator.hpp"
#include "tests/cuda/emulated/kernel.hpp"
#include "tests/cuda/emulated/random.hpp"

namespace arb::emulated {

/// The CUDA thread that this OS thread is, or null: host code.
CudaThread* current_thread();
void set_current_thread(CudaThread* thread);

class Scheduler {
 public:
  explicit Scheduler(const Settings& settings);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// False: no memory for that many stacks.
  bool start_block(Block& block);
  /// Lets at most `picks` threads go on, one after the other. Returns how many did.
  uint64_t run(uint64_t picks);
  bool anything_runnable() const { return !active_.empty(); }
  /// Everybody who polls looks once more.
  void wake_all();
  /// Takes the threads of a block away from wherever they are.
  void abandon(Block& block);

  // Called by CUDA threads.
  void payload_access(CudaThread& thread) { access(thread, payload_cost_); }
  void flag_access(CudaThread& thread) { access(thread, flag_cost_); }
  void give_way(CudaThread& thread);
  void watch(CudaThread& thread, uintptr_t address);
  void park(CudaThread& thread);
  void barrier(CudaThread& thread, const char* file, int line);
  /// Never returns.
  [[noreturn]] void die(CudaThread& thread);

  /// Somebody can see another value at `address` now.
  void changed(uintptr_t address) {
    ++changes_;
    Bucket& bucket = buckets_[bucket_of(address)];
    ++bucket.version;
    if (bucket.first != nullptr) wake(bucket);
    if (!watch_all_.empty()) wake_those_who_watch_all();
  }
  void changed() { ++changes_; }
  uint64_t changes() const { return changes_; }
  uint64_t switches() const { return switches_; }
  Random& random() { return random_; }
  /// run() returns after this pick.
  void stop() { stop_ = true; }

  /// Told of a block whose threads have all left, of what a thread did wrong (strict barriers), and
  /// before every pick.
  std::function<void(Block&)> on_block_end;
  std::function<void(Block&, const std::string&)> on_misuse;
  std::function<void()> on_pick;

 private:
  static constexpr uint32_t kBuckets = 4096;
  struct Bucket {
    Watch* first = nullptr;
    uint64_t version = 0;
  };

  static uint32_t bucket_of(uintptr_t address) {
    const uint64_t granule = address >> 4;
    return static_cast<uint32_t>((granule ^ (granule >> 12)) % kBuckets);
  }
  void access(CudaThread& thread, int64_t cost) {
    budget_ -= cost;
    if (budget_ < 0) out_of_budget(thread);
  }
  void out_of_budget(CudaThread& thread);
  void refill_budget();
  Block& pick_block();
  CudaThread& pick_thread(Block& block);
  void make_runnable(CudaThread& thread);
  void take_from_runnable(CudaThread& thread);
  void link(CudaThread& thread);
  void unlink(CudaThread& thread);
  void wake(Bucket& bucket);
  void wake_those_who_watch_all();
  void wake(CudaThread& thread);
  void finish(CudaThread& thread);
  void open_barrier(Block& block);
  CudaThread* new_thread();
  static void enter(void* thread);
  void leave(CudaThread& thread, bool last);

  const Settings& settings_;
  Random random_;
  int64_t payload_cost_ = 0, flag_cost_ = 0;
  int64_t budget_ = 0;
  uint64_t burst_ = 1, burst_left_ = 0;  // picks from one block before another is chosen
  Block* last_block_ = nullptr;
  std::vector<Block*> active_;  // those with runnable threads
  std::vector<Bucket> buckets_;
  std::vector<CudaThread*> watch_all_;
  size_t parked_ = 0;
  std::vector<std::unique_ptr<CudaThread>> all_threads_;
  std::vector<CudaThread*> spare_threads_;
  Fiber main_;
  bool stop_ = false;
  uint64_t picks_ = 0, switches_ = 0, changes_ = 0;
};

}  // namespace arb::emulated
