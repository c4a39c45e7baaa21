// How FIFOs are cut on GPUs.
#pragma once

#include "collectives/runners/host/scheduled.hpp"

namespace arb {

struct GpuFactsForSlots {
  int ranks_per_gpu = 1;
  bool several_nodes = false;
  bool one_gpu = false;     // all ranks share one: what is in flight is to stay in its cache
  int blocks_simple = 264;  // that run at once on a GPU
  int blocks_ll = 264;
  size_t l2_bytes = size_t{50} << 20;
};

/// protocol: "auto", "simple", "ll". None of its limits has been measured yet.
SlotConfig choose_gpu_slots(const Schedule& schedule, const Shape& shape,
                            const GpuFactsForSlots& gpu, const std::string& protocol);

}  // namespace arb
