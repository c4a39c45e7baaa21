// Runs device code with an operating system thread for each of its threads, all blocks at once.
#pragma once

#include <cstdint>
#include <functional>

#include "collectives/runners/cuda/device/thread.hpp"
#include "cpu_memory.hpp"

namespace arb {

void run_grid(uint32_t blocks, uint32_t threads, const std::function<void(const Thread&)>& kernel);

}  // namespace arb
