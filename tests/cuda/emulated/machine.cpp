#include "tests/cuda/emulated/machine.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/cuda/emulated/sanitizers.hpp"

namespace arb::emulated {
namespace {

constexpr uint64_t kPicks = 4096;                           // between two looks at the streams
constexpr auto kPatience = std::chrono::milliseconds(500);  // where other host threads may act
constexpr int kRoundsOfAQuery = 4;

}  // namespace

bool has_fibers() {
#ifdef ARB_EMULATED_TSAN
  return false;
#else
  return true;
#endif
}

Machine::Machine(const Settings& wanted)
    : settings(wanted),
      threads(wanted.execution == Execution::kThreads || !has_fibers()),
      space(std::max(wanted.devices, 0), wanted.memory_bytes, wanted.seed),
      scheduler(settings),
      weak(settings, scheduler),
      devices(static_cast<size_t>(std::max(wanted.devices, 0))),
      streams(*this, wanted.devices),
      any_broken_(!wanted.faults.broken_peer.empty()) {
  for (size_t i = 0; i < devices.size(); ++i) {
    devices[i].peers.assign(devices.size(), 0);
    devices[i].peers[i] = 1;
    devices[i].stored.assign(devices.size() + 1, 0);
  }
  scheduler.on_block_end = [this](Block& block) { block_ended(block); };
  scheduler.on_misuse = [this](Block& block, const std::string& text) {
    report(block.run->describe() + ", block " + std::to_string(block.index) + ": " + text);
    block.run->failed = true;
    scheduler.stop();
  };
  if (settings.store_buffer) {
    scheduler.on_pick = [this] { weak.tick(); };
  }
}

Machine::~Machine() {
  for (Device& device : devices) {
    for (const auto& run : device.runs) kill(*run);
  }
}

Machine::Step Machine::step() {
  if (settings.hide_device_memory) space.hide_device_memory(false);
  bool moved = streams.advance();
  if (threads) {
    moved = advance_threads() || moved;
  } else {
    moved = scheduler.run(kPicks) != 0 || moved;
    bury_failed_kernels();
  }
  if (settings.hide_device_memory) space.hide_device_memory(true);
  if (moved) return Step::kMoved;
  if (threads) return Step::kSilent;
  if (weak.push()) return Step::kMoved;
  if (scheduler.changes() != changes_before_) silent_ = 0;
  changes_before_ = scheduler.changes();
  ++silent_;
  scheduler.wake_all();
  return scheduler.anything_runnable() ? Step::kSilent : Step::kNothing;
}

void Machine::run_until(std::unique_lock<std::recursive_mutex>& lock, int device,
                        const std::function<bool()>& done) {
  scheduler.wake_all();  // the host may have stored something
  silent_ = 0;
  auto moved_at = std::chrono::steady_clock::now();
  const auto failed = [&] {
    return device >= 0 && devices[static_cast<size_t>(device)].failure != cudaSuccess;
  };
  while (!done() && !failed()) {
    const Step result = step();
    const bool others = callers_.size() > 1;
    if (others || threads) {
      lock.unlock();
      sched_yield();
      lock.lock();
    }
    if (result == Step::kMoved) {
      moved_at = std::chrono::steady_clock::now();
      continue;
    }
    if (threads || space.shared()) {
      usleep(20);
      continue;
    }
    const bool given_up =
        result == Step::kNothing ||
        (settings.silent_rounds > 0 && silent_ > static_cast<uint64_t>(settings.silent_rounds));
    if (!given_up) continue;
    if (others && std::chrono::steady_clock::now() - moved_at < kPatience) {
      usleep(100);
      continue;
    }
    declare_deadlock();
    if (result == Step::kNothing) return;  // nothing runs, and nothing will
  }
}

void Machine::run_some(const std::function<bool()>& done) {
  scheduler.wake_all();
  silent_ = 0;
  stuck = false;
  for (int round = 0; round < kRoundsOfAQuery && !done(); ++round) {
    const Step result = step();
    if (result == Step::kMoved) continue;
    stuck = !threads && !space.shared() && (result == Step::kNothing || silent_ > 1);
    if (threads || space.shared()) {
      sched_yield();
      return;
    }
    if (stuck) return;
  }
}

void Machine::declare_deadlock() {
  last_deadlock = describe_deadlock();
  report("deadlock: " + last_deadlock);
  call_deadlock_handler(last_deadlock);
  for (int device = 0; device < static_cast<int>(devices.size()); ++device) {
    if (!devices[static_cast<size_t>(device)].runs.empty()) fail(device, cudaErrorLaunchFailure);
  }
}

void Machine::report(std::string text) {
  // A whole program on emulated GPUs has nobody who asks for errors().
  static const bool aloud = std::getenv("ARB_EMULATED_ALOUD") != nullptr;
  if (aloud) std::fprintf(stderr, "emulated GPU: %s\n", text.c_str());
  if (errors.size() < 1000) errors.push_back(std::move(text));
}

bool Machine::is_broken(int device, int owner) const {
  const auto& pairs = settings.faults.broken_peer;
  return std::find(pairs.begin(), pairs.end(), DevicePair{device, owner}) != pairs.end();
}

}  // namespace arb::emulated
