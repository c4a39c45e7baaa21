#include "tests/cuda/emulated/emulator.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tests/cuda/emulated/api.hpp"

namespace arb::emulated {
namespace {

std::unique_ptr<Machine> in_force;
pid_t made_in = 0;
std::function<void(const std::string&)> deadlock_handler;

}  // namespace

std::recursive_mutex& machine_lock() {
  static std::recursive_mutex mutex;
  return mutex;
}

Caller& caller() {
  thread_local Caller caller;
  return caller;
}

Machine& machine() {
  if (in_force == nullptr) configure(settings_from_environment());
  return *in_force;
}

Machine& machine_of_kernels() { return *in_force; }

Machine* machine_of_this_process() {
  Machine& found = machine();
  return made_in == getpid() ? &found : nullptr;
}

void configure(const Settings& settings) {
  const Lock lock(machine_lock());
  if (in_force != nullptr && made_in != getpid()) {
    // Its memory is shared with the parent, its threads do not exist: leave it alone.
    static_cast<void>(in_force.release());
  }
  in_force = nullptr;
  in_force = std::make_unique<Machine>(settings);
  made_in = getpid();
  caller() = Caller{};
}

const Settings& settings() {
  const Lock lock(machine_lock());
  return machine().settings;
}

Counters counters() {
  const Lock lock(machine_lock());
  Machine& found = machine();
  Counters counters = found.counters;
  counters.switches = found.scheduler.switches();
  counters.live_allocations = found.space.live();
  counters.live_streams = found.streams.live_streams();
  counters.live_events = found.streams.live_events();
  return counters;
}

uint64_t bytes_stored(int device, int owner) {
  const Lock lock(machine_lock());
  return machine()
      .devices.at(static_cast<size_t>(device))
      .stored.at(static_cast<size_t>(owner + 1));
}

std::vector<std::string> errors() {
  const Lock lock(machine_lock());
  return machine().errors;
}

std::string last_deadlock() {
  const Lock lock(machine_lock());
  return machine().last_deadlock;
}

bool stuck() {
  const Lock lock(machine_lock());
  return machine().stuck;
}

void on_deadlock(std::function<void(const std::string&)> handler) {
  const Lock lock(machine_lock());
  deadlock_handler = std::move(handler);
}

void call_deadlock_handler(const std::string& text) {
  if (deadlock_handler) deadlock_handler(text);
}

cudaError_t ready(Machine& machine, Needs needs) {
  machine.note_caller();
  if (needs == Needs::kNothing) return cudaSuccess;
  // A driver serves the minor versions of its own major version.
  if (machine.settings.driver_version < CUDART_VERSION / 1000 * 1000) {
    return cudaErrorInsufficientDriver;
  }
  if (machine.devices.empty()) return cudaErrorNoDevice;
  Caller& who = caller();
  if (!is_device(machine, who.device)) who.device = 0;
  return needs == Needs::kContext ? failure_of(machine, who.device) : cudaSuccess;
}

}  // namespace arb::emulated
