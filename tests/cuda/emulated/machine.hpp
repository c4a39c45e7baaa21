// The emulated machine as a whole: devices, memory, streams and the kernels in flight. One lock
// guards it; whoever calls the runtime also makes it run.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/cuda/emulated/address_space.hpp"
#include "tests/cuda/emulated/emulator.hpp"
#include "tests/cuda/emulated/scheduler.hpp"
#include "tests/cuda/emulated/streams.hpp"
#include "tests/cuda/emulated/weak_memory.hpp"

namespace arb::emulated {

/// Objects by number; a number is never used again.
template <class T>
class Numbered {
 public:
  uint64_t add(std::shared_ptr<T> object) {
    next_ += 16;
    objects_[next_] = std::move(object);
    return next_;
  }
  std::shared_ptr<T> find(uint64_t number) const {
    const auto found = objects_.find(number);
    return found == objects_.end() ? nullptr : found->second;
  }
  bool remove(uint64_t number) { return objects_.erase(number) != 0; }

 private:
  std::map<uint64_t, std::shared_ptr<T>> objects_;
  uint64_t next_ = 0x1000;
};

struct Device {
  std::vector<char> peers;            // [owner]: may be accessed
  cudaError_t failure = cudaSuccess;  // sticky
  std::vector<std::shared_ptr<KernelRun>> runs;
  std::vector<uint64_t> stored;  // [owner + 1]: bytes
};

class Machine {
 public:
  explicit Machine(const Settings& settings);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const Settings settings;
  const bool threads;  // an OS thread for each CUDA thread
  AddressSpace space;
  Scheduler scheduler;
  WeakMemory weak;
  std::vector<Device> devices;
  Streams streams;
  Numbered<GraphImage> graphs, graph_execs;
  Counters counters;
  std::vector<std::string> errors;
  std::string last_deadlock;
  bool stuck = false;
  int allocations = 0, launches = 0, kernels = 0, ipc_opens = 0, host_registers = 0;

  // Kernels.
  bool may_begin(const KernelImage& image) const;
  cudaError_t begin(const std::shared_ptr<const KernelImage>& image,
                    std::shared_ptr<KernelRun>& run);
  /// Looks after kernels whose threads are OS threads. Whether anything happened.
  bool advance_threads();

  // Progress. The lock is held, and given up now and then.
  /// Until done() or until the device has failed.
  void run_until(std::unique_lock<std::recursive_mutex>& lock, int device,
                 const std::function<bool()>& done);
  /// For a while.
  void run_some(const std::function<bool()>& done);
  void note_caller() { callers_.insert(std::this_thread::get_id()); }

  // Errors.
  void report(std::string text);
  /// The device is of no use until it is reset; its kernels are gone.
  void fail(int device, cudaError_t error);
  void reset(int device);

  /// Whether `thread` may touch it; if not, its kernel dies and this does not return (fibers).
  const Allocation* check(CudaThread& thread, uintptr_t address, size_t bytes, const char* what);
  bool broken(int device, int owner) const {
    return any_broken_ && owner >= 0 && is_broken(device, owner);
  }
  std::string name_of(uintptr_t address) const;

 private:
  bool start_block(KernelRun& run);
  void start_more_blocks(KernelRun& run);
  void block_ended(Block& block);
  void finish(KernelRun& run);
  void kill(KernelRun& run);
  void bury_failed_kernels();
  bool is_broken(int device, int owner) const;
  uint64_t live_threads() const;

  enum class Step { kMoved, kSilent, kNothing };
  Step step();
  void declare_deadlock();
  std::string describe_deadlock() const;

  bool any_broken_ = false;
  uint64_t silent_ = 0;  // rounds in which everybody looked and nobody stored
  uint64_t changes_before_ = 0;
  std::set<std::thread::id> callers_;
};

/// The machine in force, made from the environment if there is none yet.
Machine& machine();
/// For CUDA threads, which run while it stays as it is.
Machine& machine_of_kernels();
std::recursive_mutex& machine_lock();
void call_deadlock_handler(const std::string& text);

}  // namespace arb::emulated
