#include "collectives/runners/cuda/scheduled_operation.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/cuda_call.hpp"

namespace arb {
namespace {

constexpr uint64_t kVector = sizeof(uint64_t) * 2;

/// Distance of slots: payload in whole vectors; lines carry as many bytes of flags.
size_t slot_distance(const Schedule& schedule, const Shape& shape, const SlotConfig& config) {
  const size_t payload =
      (slot_bytes_for(schedule, shape, config) + kVector - 1) / kVector * kVector;
  return config.lines ? 2 * payload : payload;
}

}  // namespace

std::unique_ptr<DeviceScheduledOperation> DeviceScheduledOperation::make(
    GpuWorld& world, const Schedule& schedule, const Facts& facts, ReductionOrder order,
    const Shape& shape, const SlotConfig& config) {
  if (schedule.ranks != shape.ranks || shape.ranks != world.map.ranks) {
    throw Error(ErrorKind::kInternal, "the schedule was built for another number of ranks");
  }
  const size_t tiles = tile_for(schedule, shape, config).tiles();
  const int channels =
      static_cast<int>(std::min<size_t>(static_cast<size_t>(std::max(config.channels, 1)), tiles));
  std::vector<unsigned> all, own;
  std::vector<std::string> what;
  for (int gpu = 0; gpu < world.map.gpu_count(); ++gpu) {
    unsigned lanes = 0;
    for (int r = 0; r < world.map.ranks_on(gpu); ++r) {
      lanes += busy_lanes(schedule, world.map.first_rank(gpu) + r);
    }
    all.push_back(lanes * static_cast<unsigned>(channels));
    what.push_back(std::to_string(world.map.ranks_on(gpu)) + " ranks with " +
                   std::to_string(lanes) + " lanes in all and " + std::to_string(channels) +
                   " channels");
    if (world.map.mine(gpu)) own.push_back(all.back());
  }
  check_grid(world, config.lines ? KernelKind::kLl : KernelKind::kSimple, all, what);
  std::unique_ptr<DeviceScheduledOperation> operation;
  world.all_or_none([&] {
    operation.reset(
        new DeviceScheduledOperation(world, own, schedule, std::move(order), shape, config));
  });
  operation->compile(world, facts, shape, config, channels);
  return operation;
}

DeviceScheduledOperation::DeviceScheduledOperation(GpuWorld& world,
                                                   const std::vector<unsigned>& blocks,
                                                   const Schedule& schedule, ReductionOrder order,
                                                   const Shape& shape, const SlotConfig& config)
    : KernelOperation(world, blocks),
      schedule_(schedule),
      order_(std::move(order)),
      tiling_(tile_for(schedule, shape, config)),
      lines_(config.lines) {}

void DeviceScheduledOperation::compile(GpuWorld& world, const Facts& facts, const Shape& shape,
                                       const SlotConfig& config, int channels) {
  const size_t distance = slot_distance(schedule_, shape, config);
  const FifoPlan plan(schedule_, world.map, channels, config.slots, distance);
  uses_host_memory_ = plan.host_bytes() > 0;
  memory_ = world.memory.allocate(plan.gpu_bytes(), plan.host_bytes(), "FIFOs");
  const CompileInput input{schedule_, facts,    shape,        tiling_, plan,
                           *memory_,  channels, config.slots, distance};
  world.all_or_none([&] {
    if (world.tuning.first_message != 0) preset(plan, world.tuning.first_message);
    for (const int gpu : world.local_gpu) programs_.push_back(compile_for_gpu(input, world, gpu));
  });
}

/// As if so many messages had gone through every FIFO.
void DeviceScheduledOperation::preset(const FifoPlan& plan, uint64_t first_message) const {
  const auto set = [&](bool on_host, int gpu, size_t offset) {
    if (!on_host && !world_.map.mine(gpu)) return;
    std::byte* const base = on_host ? memory_->host : memory_->on[static_cast<size_t>(gpu)];
    check_cuda(cudaMemcpy(base + offset, &first_message, sizeof first_message, cudaMemcpyDefault),
               "preset a counter");
  };
  for (const auto& [fifo, of_channel] : plan.all()) {
    for (const FifoSpot& spot : of_channel) {
      set(spot.on_host, spot.receiver_gpu, spot.tail);
      set(spot.on_host, spot.sender_gpu, spot.head);
    }
  }
}

void DeviceScheduledOperation::enqueue(std::span<const LocalGpu> gpus, const RankBuffers* buffers,
                                       int stall_rank) {
  for (const LocalGpu& gpu : gpus) {
    ScheduleArgs args = programs_[index_of(gpu)].args;
    std::copy_n(buffers + gpu.first_rank, gpu.ranks, args.buffers);
    start(lines_ ? schedule_ll_kernel : schedule_simple_kernel, args, gpu, stall_rank);
  }
}

std::string DeviceScheduledOperation::describe(const DeviceReport& report) const {
  if (report.awaited == Awaited::kStart) return "has not begun";
  return arb::describe(schedule_, report.rank, report.lane, report.step) + ", tile " +
         std::to_string(report.tile) + " of " + std::to_string(tiling_.tiles()) + ", " +
         awaited(report);
}

}  // namespace arb
