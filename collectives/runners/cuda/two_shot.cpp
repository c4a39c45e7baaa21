// The host's side of two-shot (device/two_shot.hpp): a word for every block and rank, in the memory
// of each rank.
#include <algorithm>

#include "collectives/runners/cuda/cuda_call.hpp"
#include "collectives/runners/cuda/device/memory.hpp"
#include "collectives/runners/cuda/native_operation.hpp"
#include "collectives/runners/cuda/natives.hpp"

namespace arb {
namespace {

constexpr int kMostBlocks = 64;           // of a rank
constexpr uint64_t kVectorsInFlight = 4;  // of a thread

class TwoShotOnGpus final : public NativeOperation {
 public:
  TwoShotOnGpus(GpuWorld& world, const Shape& shape, int blocks_per_rank)
      : NativeOperation(world, shape, blocks_per_rank) {}

  void prepare(GpuWorld& world) {
    const size_t words = static_cast<size_t>(blocks_per_rank_) * static_cast<size_t>(shape_.ranks);
    allocate(world, words * sizeof(uint32_t), false, "the barriers of two-shot");
    world.all_or_none([&] {
      if (world.tuning.first_epoch != 0) preset(world, words);
      write_tables(world, [](NativeRank& own, std::byte* place, std::byte* const* places) {
        own.arrived = reinterpret_cast<uint32_t*>(place);
        own.arrivals = reinterpret_cast<uint32_t* const*>(places);
      });
    });
  }

  void enqueue(std::span<const LocalGpu> gpus, const RankBuffers* buffers,
               int stall_rank) override {
    for (const LocalGpu& gpu : gpus) {
      NativeArgs args = args_of(gpu);
      std::copy_n(buffers, shape_.ranks, args.buffers);
      start(two_shot_kernel, args, gpu, stall_rank);
    }
  }

 private:
  std::string describe(const DeviceReport& report) const override {
    if (report.awaited == Awaited::kStart) return "has not begun";
    return "two-shot, " + awaited(report) + " at a barrier";
  }

  /// As if everybody had met so often.
  void preset(const GpuWorld& world, size_t words) const {
    const std::vector<uint32_t> epochs(words, world.tuning.first_epoch);
    for (const int rank : world.driven) {
      upload(place_of(rank), epochs.data(), words * sizeof(uint32_t),
             "preset the words of a barrier");
    }
  }
};

}  // namespace

std::optional<std::string> two_shot_unsupported(std::string_view /*name*/, const Shape& shape,
                                                const GpuWorld& world) {
  if (shape.collective != Collective::kAllReduce) {
    return "there is no such algorithm for " + std::string(name(shape.collective));
  }
  if (shape.ranks > kMostLocalRanks) {
    return "takes at most " + std::to_string(kMostLocalRanks) + " ranks";
  }
  if (world.map.several_nodes()) {
    return "its ranks read and write each other's memory, but they are on several nodes";
  }
  for (int a = 0; a < world.map.gpu_count(); ++a) {
    for (int b = 0; b < world.map.gpu_count(); ++b) {
      if (world.map.reaches(a, b)) continue;
      return "its ranks read and write each other's memory, but " + world.map.name_of(a) +
             " does not reach that of " + world.map.name_of(b);
    }
  }
  return std::nullopt;
}

Made make_two_shot(std::string_view /*name*/, const Shape& shape, bool /*in_place*/,
                   GpuWorld& world) {
  const uint64_t stripe = shape.bytes() / static_cast<uint64_t>(shape.ranks);
  const uint64_t of_block =
      static_cast<uint64_t>(world.tuning.threads) * sizeof(Vector16) * kVectorsInFlight;
  const int blocks =
      native_blocks(world, KernelKind::kTwoShot, (stripe + of_block - 1) / of_block, kMostBlocks);
  std::unique_ptr<TwoShotOnGpus> operation;
  world.all_or_none([&] { operation = std::make_unique<TwoShotOnGpus>(world, shape, blocks); });
  operation->prepare(world);
  return {std::move(operation), "zero-copy"};
}

}  // namespace arb
