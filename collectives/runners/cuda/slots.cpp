#include "collectives/runners/cuda/slots.hpp"

#include <algorithm>
#include <bit>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/compile.hpp"
#include "collectives/runners/cuda/cuda_call.hpp"
#include "collectives/runners/cuda/read_gpu.hpp"
#include "collectives/schedule/virtual_clock.hpp"

namespace arb {
namespace {

// Of one message between two ranks. NCCL's cost model has lines ahead of `simple` up to about
// 640 KiB a hop on 8 H100 (ring: 15 us + S/81 GB/s against 56 us + S/211 GB/s), but only with 16
// channels at full speed; published measurements change over at 64 to 128 KiB.
constexpr size_t kMostLlBytes = size_t{64} << 10;

// What one block moves with all its threads once is the least that is worth a further channel:
// 512 lines of 8 bytes, or 4 vectors of 16 bytes in flight for each of 512 threads.
constexpr size_t kLlChannelBytes = size_t{4} << 10;
constexpr size_t kSimpleChannelBytes = size_t{32} << 10;
// One SM moves 20 to 40 GB/s over NVLink, so 16 of them fill a port of 370 GB/s.
constexpr int kMostChannels = 16;

constexpr size_t kLargestLlSlot = size_t{32} << 10;
constexpr size_t kLargestSlot = size_t{512} << 10;
constexpr size_t kSmallestSlot = 256;
// Between nodes the host handles every message: few large ones.
constexpr int kMostChannelsBetweenNodes = 4;

constexpr size_t kPipelineTiles = 16;  // of a channel, where tiling pays

unsigned most_busy_lanes(const Schedule& schedule) {
  unsigned most = 1;
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    most = std::max(most, busy_lanes(schedule, rank));
  }
  return most;
}

size_t fifo_ends(const Schedule& schedule) {
  size_t lanes_that_send = 0;
  for (const auto& lanes : schedule.lanes) {
    for (const Lane& lane : lanes) {
      lanes_that_send += static_cast<size_t>(std::any_of(
          lane.steps.begin(), lane.steps.end(), [](const Step& s) { return s.send_to != kNone; }));
    }
  }
  return std::max<size_t>(lanes_that_send, 1);
}

}  // namespace

SlotConfig choose_gpu_slots(const Schedule& schedule, const Shape& shape,
                            const GpuFactsForSlots& gpu, const std::string& protocol) {
  SlotConfig config;
  config.slots = 4;
  const auto largest = static_cast<size_t>(largest_message(schedule));
  const auto chunks = static_cast<size_t>(schedule.chunks);
  const size_t message = (shape.bytes() + chunks - 1) / chunks * largest;
  config.lines =
      !gpu.several_nodes && (protocol == "ll" || (protocol != "simple" && message <= kMostLlBytes));

  const int fit = config.lines ? gpu.blocks_ll : gpu.blocks_simple;
  const auto needed = static_cast<int>(most_busy_lanes(schedule)) * std::max(gpu.ranks_per_gpu, 1);
  const size_t worth = message / (config.lines ? kLlChannelBytes : kSimpleChannelBytes);
  const size_t most_channels = gpu.several_nodes ? kMostChannelsBetweenNodes : kMostChannels;
  config.channels = static_cast<int>(std::clamp<size_t>(worth, 1, most_channels));
  config.channels = std::clamp(fit / needed, 1, config.channels);

  const auto channels = static_cast<size_t>(config.channels);
  size_t most = config.lines ? kLargestLlSlot : kLargestSlot;
  if (gpu.one_gpu) {
    // Half of the cache for what is in flight; the other half for inputs and outputs passing by.
    const size_t in_flight =
        fifo_ends(schedule) * channels * static_cast<size_t>(config.slots) * (config.lines ? 2 : 1);
    most = std::min(most, std::bit_floor(std::max<size_t>(gpu.l2_bytes / 2 / in_flight, 1)));
  }
  const size_t tiles = tiling_pays(schedule, config.slots) ? kPipelineTiles : 1;
  const size_t wanted = (message + channels * tiles - 1) / (channels * tiles);
  // A grain more for each chunk: chunks are rounded up to whole cache lines.
  const size_t rounded = std::bit_ceil(wanted + kCacheLine * largest);
  config.slot_bytes = std::clamp(rounded, kSmallestSlot, std::max(most, kSmallestSlot));
  return config;
}

SlotChooser gpu_slot_chooser(const GpuSettings& settings, int ranks) {
  GpuFactsForSlots facts;
  facts.ranks_per_gpu = std::min(settings.ranks_per_gpu, ranks);
  facts.several_nodes = settings.nodes > 1;
  facts.one_gpu = ranks <= settings.ranks_per_gpu;
  try {
    int count = 0;
    if (count_gpus(count).empty()) {
      facts.l2_bytes = static_cast<size_t>(read_gpu(0).l2_bytes);
      facts.blocks_simple = blocks_at_once(0, KernelKind::kSimple, kThreads);
      facts.blocks_ll = blocks_at_once(0, KernelKind::kLl, kThreads);
    }
  } catch (const Error&) {  // the plan is made for a GPU that cannot be asked: as for an H100
  }
  return [facts, protocol = settings.protocol](const Schedule& schedule, const Shape& shape,
                                               bool /*in_place*/) {
    return choose_gpu_slots(schedule, shape, facts, protocol);
  };
}

}  // namespace arb
