// Schedule + facts + shape -> the tables that the kernels read, for the ranks of one GPU.
#pragma once

#include <memory>
#include <vector>

#include "collectives/runners/cuda/fifo_plan.hpp"
#include "collectives/runners/cuda/gpu_world.hpp"
#include "collectives/runners/host/scheduled.hpp"

namespace arb {

/// What the tables depend on, the same for all GPUs.
struct CompileInput {
  const Schedule& schedule;
  const Facts& facts;
  const Shape& shape;
  const Tiling& tiling;
  const FifoPlan& fifos;
  const GroupBlock& memory;  // of the FIFOs
  std::byte* far = nullptr;  // host memory for those between nodes, as kernels see it
  int channels = 1;
  int slots = 1;
  size_t slot_bytes = 0;  // distance of slots
};

struct GpuProgram {
  ScheduleArgs args;  // all but the buffers and the control
  std::shared_ptr<std::byte> memory;
};

/// Lanes of a rank that do something: one block each per channel.
unsigned busy_lanes(const Schedule& schedule, int rank);

GpuProgram compile_for_gpu(const CompileInput& input, const GpuWorld& world, int gpu);

}  // namespace arb
