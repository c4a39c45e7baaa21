// make_gpu_group() with what only tests change.
#pragma once

#include "collectives/runners/cuda/gpu_world.hpp"

namespace arb {

std::unique_ptr<GpuGroup> make_gpu_group(int ranks, const GpuSettings& settings, Peers* peers,
                                         const GpuTuning& tuning);

}  // namespace arb
