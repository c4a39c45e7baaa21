#include "collectives/runners/cuda/native_operation.hpp"

#include <algorithm>
#include <cstring>

#include "collectives/runners/cuda/cuda_call.hpp"

namespace arb {
namespace {

constexpr size_t kAlign = 128;
constexpr size_t kCheckedTileBytes = size_t{1} << 20;  // how the check cuts the message

std::vector<unsigned> own_blocks(const GpuWorld& world, int blocks_per_rank) {
  std::vector<unsigned> blocks;
  for (const LocalGpu& gpu : world.local) {
    blocks.push_back(static_cast<unsigned>(gpu.ranks * blocks_per_rank));
  }
  return blocks;
}

}  // namespace

int native_blocks(const GpuWorld& world, KernelKind kind, uint64_t units, int most) {
  int blocks = static_cast<int>(std::clamp<uint64_t>(units, 1, static_cast<uint64_t>(most)));
  const auto index = static_cast<size_t>(kind);
  for (int gpu = 0; gpu < world.map.gpu_count(); ++gpu) {
    blocks = std::min(blocks, world.map.at(gpu).blocks_at_once[index] / world.map.ranks_on(gpu));
  }
  blocks = std::max(blocks, 1);
  std::vector<unsigned> needed;
  std::vector<std::string> what;
  for (int gpu = 0; gpu < world.map.gpu_count(); ++gpu) {
    needed.push_back(static_cast<unsigned>(world.map.ranks_on(gpu) * blocks));
    what.push_back(std::to_string(world.map.ranks_on(gpu)) + " ranks");
  }
  check_grid(world, kind, needed, what);
  return blocks;
}

NativeOperation::NativeOperation(const GpuWorld& world, const Shape& shape, int blocks_per_rank)
    : KernelOperation(world, own_blocks(world, blocks_per_rank)),
      shape_(shape),
      blocks_per_rank_(blocks_per_rank),
      order_(rank_order(shape.ranks, 1)),
      tiling_(shape.count, 1, false, std::max<size_t>(1, kCheckedTileBytes / size_of(shape.dtype)),
              1) {}

void NativeOperation::allocate(GpuWorld& world, size_t bytes, bool on_host, const char* purpose) {
  stride_ = (bytes + kAlign - 1) / kAlign * kAlign;
  on_host_ = on_host;
  std::vector<size_t> on_gpu(static_cast<size_t>(world.map.gpu_count()));
  for (int gpu = 0; gpu < world.map.gpu_count() && !on_host; ++gpu) {
    on_gpu[static_cast<size_t>(gpu)] = stride_ * static_cast<size_t>(world.map.ranks_on(gpu));
  }
  const size_t host_bytes = on_host ? stride_ * static_cast<size_t>(shape_.ranks) : 0;
  memory_ = world.memory.allocate(on_gpu, host_bytes, purpose);
}

std::byte* NativeOperation::place_of(int rank) const {
  if (on_host_) return memory_->host + static_cast<size_t>(rank) * stride_;
  std::byte* const base = memory_->on[static_cast<size_t>(world_.map.gpu_of(rank))];
  return base + static_cast<size_t>(world_.map.local_rank(rank)) * stride_;
}

void NativeOperation::write_tables(GpuWorld& world, Fill fill) {
  const auto ranks = static_cast<size_t>(shape_.ranks);
  const auto blocks = static_cast<size_t>(blocks_per_rank_);
  for (const LocalGpu& gpu : world.local) {
    const auto local = static_cast<size_t>(gpu.ranks);
    // The ranks, the places of all ranks, the epochs of all blocks.
    const size_t places_at = local * sizeof(NativeRank);
    const size_t epochs_at = places_at + ranks * sizeof(std::byte*);
    const size_t bytes = epochs_at + local * blocks * sizeof(uint32_t);
    tables_.push_back(owned_device_memory(gpu.device, bytes, "the tables of an operation"));
    std::byte* const base = tables_.back().get();
    std::vector<NativeRank> own(local);
    std::vector<std::byte*> places;
    places.reserve(ranks);
    for (int rank = 0; rank < shape_.ranks; ++rank) places.push_back(place_of(rank));
    const std::vector<uint32_t> epochs(local * blocks, world.tuning.first_epoch);
    auto* const places_there = reinterpret_cast<std::byte* const*>(base + places_at);
    for (size_t r = 0; r < local; ++r) {
      own[r].rank = gpu.first_rank + static_cast<int>(r);
      own[r].epoch = reinterpret_cast<uint32_t*>(base + epochs_at) + r * blocks;
      fill(own[r], place_of(own[r].rank), places_there);
    }
    std::vector<std::byte> image(bytes);
    std::memcpy(image.data(), own.data(), places_at);
    std::memcpy(image.data() + places_at, places.data(), ranks * sizeof(std::byte*));
    std::memcpy(image.data() + epochs_at, epochs.data(), epochs.size() * sizeof(uint32_t));
    upload(base, image.data(), bytes, "write the tables of an operation");
  }
}

NativeArgs NativeOperation::args_of(const LocalGpu& gpu) const {
  NativeArgs args;
  args.local = reinterpret_cast<const NativeRank*>(tables_[index_of(gpu)].get());
  args.ranks = shape_.ranks;
  args.local_ranks = gpu.ranks;
  args.blocks_per_rank = blocks_per_rank_;
  args.count = shape_.count;
  args.dtype = shape_.dtype;
  args.op = shape_.op;
  return args;
}

}  // namespace arb
