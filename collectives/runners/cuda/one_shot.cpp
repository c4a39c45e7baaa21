// The host's side of one-shot (device/one_shot.hpp): every rank's inbox has two halves of lines
// from every rank.
#include <algorithm>

#include "collectives/runners/cuda/device/memory.hpp"
#include "collectives/runners/cuda/native_operation.hpp"
#include "collectives/runners/cuda/natives.hpp"

namespace arb {
namespace {

// An inbox takes 4n times that: 32 MiB at 8 ranks. Ring and two-shot are far ahead by then:
// published kernels of this kind stop at 64 to 512 KiB.
constexpr size_t kMostBytes = size_t{1} << 20;
constexpr int kMostBlocks = 16;  // of a rank

class OneShotOnGpus final : public NativeOperation {
 public:
  OneShotOnGpus(GpuWorld& world, const Shape& shape, int blocks_per_rank)
      : NativeOperation(world, shape, blocks_per_rank),
        inbox_lines_(std::max<uint64_t>(1, (shape.bytes() + kLineData - 1) / kLineData)) {}

  void prepare(GpuWorld& world) {
    const size_t inbox =
        2 * static_cast<size_t>(shape_.ranks) * static_cast<size_t>(inbox_lines_) * kLineBytes;
    allocate(world, inbox, !world.map.all_linked(), "the inboxes of one-shot");
    world.all_or_none([&] {
      write_tables(world, [](NativeRank& own, std::byte* place, std::byte* const* places) {
        own.inbox = place;
        own.inboxes = places;
      });
    });
  }

  void enqueue(std::span<const LocalGpu> gpus, const RankBuffers* buffers,
               int stall_rank) override {
    for (const LocalGpu& gpu : gpus) {
      NativeArgs args = args_of(gpu);
      args.inbox_lines = inbox_lines_;
      std::copy_n(buffers + gpu.first_rank, gpu.ranks, args.buffers);
      start(one_shot_kernel, args, gpu, stall_rank);
    }
  }

 private:
  std::string describe(const DeviceReport& report) const override {
    if (report.awaited == Awaited::kStart) return "has not begun";
    return "one-shot, " + awaited(report);
  }

  uint64_t inbox_lines_;
};

}  // namespace

std::optional<std::string> one_shot_unsupported(std::string_view /*name*/, const Shape& shape,
                                                const GpuWorld& world) {
  if (world.map.several_nodes()) {
    return "its ranks write into each other's memory, but they are on several nodes";
  }
  if (shape.collective != Collective::kAllReduce) {
    return "there is no such algorithm for " + std::string(name(shape.collective));
  }
  if (shape.bytes() > kMostBytes) {
    return "takes messages of at most 1 MiB: every rank keeps " + std::to_string(2 * shape.ranks) +
           " of them as lines; two-shot and ring are for larger ones";
  }
  return std::nullopt;
}

Made make_one_shot(std::string_view /*name*/, const Shape& shape, bool /*in_place*/,
                   GpuWorld& world) {
  const auto line_threads = static_cast<uint64_t>(world.tuning.threads);
  const uint64_t lines = (shape.bytes() + kLineData - 1) / kLineData;
  const int blocks = native_blocks(world, KernelKind::kOneShot,
                                   (lines + line_threads - 1) / line_threads, kMostBlocks);
  std::unique_ptr<OneShotOnGpus> operation;
  world.all_or_none([&] { operation = std::make_unique<OneShotOnGpus>(world, shape, blocks); });
  operation->prepare(world);
  return {std::move(operation), world.map.all_linked() ? "ll" : "ll, host memory"};
}

}  // namespace arb
