// CUDA threads as OS threads, so that ThreadSanitizer sees them.
#pragma once

#include "tests/cuda/emulated/emulator.hpp"
#include "tests/cuda/emulated/kernel.hpp"

namespace arb::emulated {

void start_thread_block(Block& block, const Settings& settings);
void join_thread_block(Block& block);
void thread_barrier(CudaThread& thread, const char* file, int line);

}  // namespace arb::emulated
