// The machine in words: who waits for what, and what an address is.
#include <sstream>

#include "tests/cuda/emulated/machine.hpp"

namespace arb::emulated {
namespace {

/// What keeps a thread; empty: nothing, it has left.
std::string waiting(const Machine& machine, const CudaThread& thread) {
  switch (thread.state) {
    case CudaThread::State::kDone:
      return "";
    case CudaThread::State::kBarrier:
      return std::string("waits at the barrier ") + thread.file + ":" + std::to_string(thread.line);
    default:
      break;
  }
  std::string text = "polls";
  for (int i = 0; i < thread.watch_count; ++i) {
    text += i == 0 ? " " : ", ";
    text += machine.name_of(thread.watches[static_cast<size_t>(i)].address);
  }
  return text;
}

/// Neighbours that wait for the same are one line.
void describe(const Machine& machine, const Block& block, std::ostringstream& to) {
  const size_t count = block.threads.size();
  for (size_t first = 0; first < count;) {
    const std::string what = waiting(machine, *block.threads[first]);
    size_t end = first + 1;
    while (end < count && waiting(machine, *block.threads[end]) == what) ++end;
    if (!what.empty()) {
      to << block.run->describe() << ", block " << block.index << ", thread " << first;
      if (end - first > 1) to << " to " << end - 1;
      to << ": " << what << "\n";
    }
    first = end;
  }
}

}  // namespace

std::string Machine::describe_deadlock() const {
  std::ostringstream text;
  for (const Device& device : devices) {
    for (const auto& run : device.runs) {
      for (const auto& block : run->blocks) describe(*this, *block, text);
      if (run->next_block < run->image->blocks) {
        text << run->describe() << ": blocks " << run->next_block << " to "
             << run->image->blocks - 1 << " have not started\n";
      }
    }
  }
  text << streams.describe_waiting();
  std::string all = text.str();
  if (all.empty()) return "streams wait for what never comes";
  all.pop_back();
  return all;
}

std::string Machine::name_of(uintptr_t address) const {
  std::ostringstream text;
  const Allocation* found = space.find(address);
  if (found == nullptr) {
    text << "0x" << std::hex << address << " (unknown memory)";
    return text.str();
  }
  switch (found->kind) {
    case Allocation::Kind::kDevice:
      text << "memory of device " << found->owner;
      break;
    case Allocation::Kind::kImported:
      text << "memory of another process on device " << found->owner;
      break;
    case Allocation::Kind::kPinned:
      text << "pinned host memory";
      break;
    case Allocation::Kind::kRegistered:
      text << "registered host memory";
      break;
  }
  text << (found->live ? "" : ", freed,") << " 0x" << std::hex << found->base;
  if (address >= found->base) {
    text << "+0x" << address - found->base;
  } else {
    text << "-0x" << found->base - address;
  }
  text << std::dec << " of " << found->bytes << " bytes";
  return text.str();
}

}  // namespace arb::emulated
