#include "collectives/runners/cuda/scheduled_operation.hpp"

#include <algorithm>
#include <cstring>
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
  if (config.lines && world.map.several_nodes()) {
    throw Error(ErrorKind::kEnvironment,
                "protocol ll is for GPUs of one node: between nodes use simple");
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
  world.all_or_none([&] {
    const size_t far_bytes = plan.far_bytes(world.map.process);
    if (far_bytes > 0) far_ = PinnedMemory(far_bytes, "messages between nodes");
    const CompileInput input{schedule_, facts,         shape,    tiling_,      plan,
                             *memory_,  far_.device(), channels, config.slots, distance};
    if (world.tuning.first_message != 0) preset(plan, world.tuning.first_message);
    for (const int gpu : world.local_gpu) programs_.push_back(compile_for_gpu(input, world, gpu));
    if (plan.tags() > 0) carrier_ = world.peers->carry(far_fifos(plan, input), plan.tags());
  });
}

DeviceScheduledOperation::~DeviceScheduledOperation() {
  if (carrier_ == nullptr || !world_.aborted()) return;
  // Messages may be on their way still, and nobody will tell when they are done: their memory stays
  // until the end of the process, which is near.
  // NOLINTBEGIN(bugprone-unhandled-exception-at-new): without memory it ends here
  static_cast<void>(new PinnedMemory(far_));
  static_cast<void>(new std::shared_ptr<const GroupBlock>(memory_));
  // NOLINTEND(bugprone-unhandled-exception-at-new)
}

std::vector<FarFifo> DeviceScheduledOperation::far_fifos(const FifoPlan& plan,
                                                         const CompileInput& input) const {
  std::vector<FarFifo> fifos;
  for (const auto& [key, of_channel] : plan.all()) {
    for (const FifoSpot& spot : of_channel) {
      const bool sends = world_.map.mine(spot.sender_gpu);
      if (!spot.far || !(sends || world_.map.mine(spot.receiver_gpu))) continue;
      const RingSpot& ring = spot.ring(sends);
      const auto word = [&](size_t at) { return reinterpret_cast<uint64_t*>(far_.host() + at); };
      FarFifo fifo;
      fifo.sends = sends;
      fifo.process = world_.map.at(spot.gpu(!sends)).process;
      fifo.tag = spot.tag;
      fifo.slots = (world_.map.device_messages ? memory_->on[static_cast<size_t>(spot.gpu(sends))]
                                               : far_.host()) +
                   ring.slots;
      fifo.slot_bytes = input.slot_bytes;
      fifo.slot_count = static_cast<uint32_t>(input.slots);
      fifo.tail = word(ring.tail);
      fifo.head = word(ring.head);
      if (sends) fifo.lengths = word(ring.lengths);
      fifo.first = world_.tuning.first_message;
      fifos.push_back(fifo);
    }
  }
  return fifos;
}

/// As if so many messages had gone through every FIFO.
void DeviceScheduledOperation::preset(const FifoPlan& plan, uint64_t first_message) const {
  const auto set = [&](bool on_host, int gpu, size_t offset) {
    if (!on_host && !world_.map.mine(gpu)) return;
    std::byte* const base = on_host ? memory_->host : memory_->on[static_cast<size_t>(gpu)];
    upload(base + offset, &first_message, sizeof first_message, "preset a counter");
  };
  for (const auto& [fifo, of_channel] : plan.all()) {
    for (const FifoSpot& spot : of_channel) {
      if (spot.far) {
        for (const bool sends : {true, false}) {
          if (!world_.map.mine(spot.gpu(sends))) continue;
          const RingSpot& ring = spot.ring(sends);
          std::memcpy(far_.host() + ring.tail, &first_message, sizeof first_message);
          std::memcpy(far_.host() + ring.head, &first_message, sizeof first_message);
        }
        continue;
      }
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
