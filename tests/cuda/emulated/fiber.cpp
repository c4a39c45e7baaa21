#include "tests/cuda/emulated/fiber.hpp"

#include <sys/mman.h>

#include <cstdint>

#include "tests/cuda/emulated/sanitizers.hpp"

#ifdef ARB_EMULATED_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace arb::emulated {
namespace {

constexpr size_t kPage = 4096;
#ifdef ARB_EMULATED_ASAN
constexpr size_t kStackBytes = 256 * 1024;
#else
constexpr size_t kStackBytes = 64 * 1024;
#endif
constexpr size_t kStacksPerSlab = 64;
constexpr size_t kStride = kStackBytes + kPage;

}  // namespace

// Saves what a call preserves, and goes on where `to` was left. swapcontext() would also save the
// signal mask, a system call each time.
#if defined(__x86_64__)
extern "C" void arb_emulated_switch(void** from, void* to);
asm(R"(
.text
.globl arb_emulated_switch
.hidden arb_emulated_switch
.type arb_emulated_switch,@function
arb_emulated_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size arb_emulated_switch,.-arb_emulated_switch

.globl arb_emulated_start
.hidden arb_emulated_start
.type arb_emulated_start,@function
arb_emulated_start:
  movq %r12, %rdi
  xorl %ebp, %ebp
  callq *%rbx
  ud2
.size arb_emulated_start,.-arb_emulated_start
)");
extern "C" void arb_emulated_start();

void prepare(Fiber& fiber, void (*entry)(void*), void* argument) {
  auto* top = reinterpret_cast<void**>(fiber.stack + fiber.stack_bytes);
  *--top = nullptr;
  *--top = nullptr;  // the stack is 16-byte aligned where arb_emulated_start calls
  *--top = reinterpret_cast<void*>(&arb_emulated_start);
  *--top = nullptr;                         // rbp
  *--top = reinterpret_cast<void*>(entry);  // rbx
  *--top = argument;                        // r12
  *--top = nullptr;                         // r13
  *--top = nullptr;                         // r14
  *--top = nullptr;                         // r15
  fiber.stack_pointer = top;
}
#elif defined(__aarch64__)
extern "C" void arb_emulated_switch(void** from, void* to);
asm(R"(
.text
.globl arb_emulated_switch
.hidden arb_emulated_switch
.type arb_emulated_switch,%function
arb_emulated_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size arb_emulated_switch,.-arb_emulated_switch

.globl arb_emulated_start
.hidden arb_emulated_start
.type arb_emulated_start,%function
arb_emulated_start:
  mov x0, x20
  mov x29, xzr
  blr x19
  brk #0
.size arb_emulated_start,.-arb_emulated_start
)");
extern "C" void arb_emulated_start();

void prepare(Fiber& fiber, void (*entry)(void*), void* argument) {
  auto** top = reinterpret_cast<void**>(fiber.stack + fiber.stack_bytes) - 20;
  for (int i = 0; i < 20; ++i) top[i] = nullptr;
  top[0] = reinterpret_cast<void*>(entry);                 // x19
  top[1] = argument;                                       // x20
  top[11] = reinterpret_cast<void*>(&arb_emulated_start);  // x30
  fiber.stack_pointer = top;
}
#else
#error "the emulated GPUs need a context switch for this processor"
#endif

void switch_fiber(Fiber& from, Fiber& to, [[maybe_unused]] bool last) {
#ifdef ARB_EMULATED_ASAN
  __sanitizer_start_switch_fiber(last ? nullptr : &from.fake_stack, to.stack, to.stack_bytes);
#endif
  arb_emulated_switch(&from.stack_pointer, to.stack_pointer);
#ifdef ARB_EMULATED_ASAN
  __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

void entered([[maybe_unused]] Fiber& caller) {
#ifdef ARB_EMULATED_ASAN
  const void* bottom = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
  caller.stack = static_cast<char*>(const_cast<void*>(bottom));
  caller.stack_bytes = bytes;
#endif
}

StackPool::~StackPool() {
  for (char* slab : slabs_) munmap(slab, kStride * kStacksPerSlab);
}

bool StackPool::take(Fiber& fiber) {
  if (free_.empty()) {
    void* slab = mmap(nullptr, kStride * kStacksPerSlab, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab == MAP_FAILED) return false;
    slabs_.push_back(static_cast<char*>(slab));
    for (size_t i = kStacksPerSlab; i-- > 0;) {
      char* stack = static_cast<char*>(slab) + i * kStride + kPage;
      if (mprotect(stack, kStackBytes, PROT_READ | PROT_WRITE) != 0) return false;
      free_.push_back(stack);
    }
  }
  fiber.stack = free_.back();
  // Tops at different offsets of a page, so that they do not share the same few lines of a cache.
  fiber.stack_bytes = kStackBytes - (next_colour_++ % 64) * 192;
  fiber.fake_stack = nullptr;
  free_.pop_back();
  return true;
}

void StackPool::give_back(Fiber& fiber) {
  if (fiber.stack == nullptr) return;
#ifdef ARB_EMULATED_ASAN
  __asan_unpoison_memory_region(fiber.stack, fiber.stack_bytes);
#endif
  free_.push_back(fiber.stack);
  fiber.stack = nullptr;
  fiber.stack_pointer = nullptr;
}

}  // namespace arb::emulated
