// Stacks that one OS thread switches between.
#pragma once

#include <cstddef>
#include <vector>

namespace arb::emulated {

/// A place to come back to. The stack belongs to a StackPool, or is that of the OS thread.
struct Fiber {
  void* stack_pointer = nullptr;
  char* stack = nullptr;  // lowest byte
  size_t stack_bytes = 0;
  void* fake_stack = nullptr;  // AddressSanitizer's
};

/// Prepares `fiber`, which has a stack: the first switch to it calls entry(argument), which never
/// returns.
void prepare(Fiber& fiber, void (*entry)(void*), void* argument);
/// Leaves `from` for `to`. last: nobody will come back to `from`.
void switch_fiber(Fiber& from, Fiber& to, bool last = false);
/// Called first on a new stack; caller: who switched to it.
void entered(Fiber& caller);

/// Stacks with a guard page below each; the one given back last is handed out first.
class StackPool {
 public:
  StackPool() = default;
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool();
  bool take(Fiber& fiber);  // false: no memory
  void give_back(Fiber& fiber);

 private:
  std::vector<char*> free_;
  std::vector<char*> slabs_;
  size_t next_colour_ = 0;
};

}  // namespace arb::emulated
