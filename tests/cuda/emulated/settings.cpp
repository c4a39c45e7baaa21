// The settings that the environment of a whole program gives.
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "tests/cuda/emulated/emulator.hpp"

namespace arb::emulated {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& value) {
  throw std::invalid_argument(name + "=" + value + ": not understood");
}

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

template <class T>
void read_number(const char* what, T& to) {
  const std::string name = std::string("ARB_EMULATED_") + what;
  const auto text = variable(name);
  if (!text) return;
  size_t used = 0;
  unsigned long long value = 0;
  try {
    value = std::stoull(*text, &used, 0);
  } catch (const std::exception&) {
    refuse(name, *text);
  }
  if (used != text->size()) refuse(name, *text);
  to = static_cast<T>(value);
}

template <class T>
void read_choice(const char* what, const std::vector<std::pair<std::string, T>>& choices, T& to) {
  const std::string name = std::string("ARB_EMULATED_") + what;
  const auto text = variable(name);
  if (!text) return;
  for (const auto& [word, value] : choices) {
    if (word == *text) {
      to = value;
      return;
    }
  }
  refuse(name, *text);
}

/// "0-1,1-0", or "all".
void read_pairs(const char* what, int devices, std::vector<DevicePair>& to) {
  const std::string name = std::string("ARB_EMULATED_") + what;
  const auto text = variable(name);
  if (!text) return;
  if (*text == "all") {
    for (int a = 0; a < devices; ++a) {
      for (int b = 0; b < devices; ++b) {
        if (a != b) to.emplace_back(a, b);
      }
    }
    return;
  }
  size_t at = 0;
  while (at < text->size()) {
    DevicePair pair;
    int used = 0;
    if (std::sscanf(text->c_str() + at, "%d-%d%n", &pair.first, &pair.second, &used) != 2) {
      refuse(name, *text);
    }
    to.push_back(pair);
    at += static_cast<size_t>(used);
    if (at < text->size() && (*text)[at++] != ',') refuse(name, *text);
  }
}

}  // namespace

Settings settings_from_environment() {
  Settings settings;
  read_number("DEVICES", settings.devices);
  read_number("MULTIPROCESSORS", settings.multiprocessors);
  read_number("BLOCKS_PER_MULTIPROCESSOR", settings.blocks_per_multiprocessor);
  read_number("MEMORY_BYTES", settings.memory_bytes);
  read_number("L2_BYTES", settings.l2_bytes);
  read_number("DRIVER_VERSION", settings.driver_version);
  read_number("SEED", settings.seed);
  read_choice<Execution>("EXECUTION",
                         {{"fibers", Execution::kFibers}, {"threads", Execution::kThreads}},
                         settings.execution);
  read_choice<Concurrency>("CONCURRENCY",
                           {{"generous", Concurrency::kGenerous}, {"mean", Concurrency::kMean}},
                           settings.concurrency);
  const std::vector<std::pair<std::string, bool>> kSwitch = {{"0", false}, {"1", true}};
  read_choice<bool>("STORE_BUFFER", kSwitch, settings.store_buffer);
  read_choice<bool>("STALE_READS", kSwitch, settings.stale_reads);
  read_number("RESIDENT_BLOCKS", settings.resident_blocks);
  read_number("SILENT_ROUNDS", settings.silent_rounds);
  read_number("FAIL_ALLOCATION", settings.faults.fail_allocation);
  read_number("FAIL_LAUNCH", settings.faults.fail_launch);
  read_number("FAIL_KERNEL", settings.faults.fail_kernel);
  read_number("FAIL_IPC_OPEN", settings.faults.fail_ipc_open);
  read_number("FAIL_HOST_REGISTER", settings.faults.fail_host_register);
  read_pairs("NO_PEER", settings.devices, settings.faults.no_peer);
  read_pairs("BROKEN_PEER", settings.devices, settings.faults.broken_peer);
  return settings;
}

}  // namespace arb::emulated
