#include "verify/cuda/check_launch.hpp"

#include <algorithm>
#include <bit>

#include "collectives/runners/cuda/cuda_call.hpp"
#include "collectives/runners/cuda/launch.hpp"
#include "collectives/runners/cuda/resources.hpp"
#include "verify/cuda/kernels.hpp"

namespace arb {
namespace {

constexpr uint64_t kMostBlocks = 1024;
constexpr uint64_t kElementsOfThread = 8;  // at least, before another block pays

/// Places arrays one behind the other, each on 16 bytes.
struct Layout {
  size_t bytes = 0;

  template <class T>
  size_t add(size_t count) {
    const size_t at = bytes;
    bytes += (count * sizeof(T) + 15) / 16 * 16;
    return at;
  }
};

template <class T>
void upload(std::byte* to, const std::vector<T>& from, cudaStream_t stream) {
  check_cuda(
      cudaMemcpyAsync(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice, stream),
      "send a GPU what to check");
}

}  // namespace

CheckFinding together(const CheckFinding& a, const CheckFinding& b) {
  CheckFinding both = a.first_key <= b.first_key ? a : b;
  both.compared = a.compared + b.compared;
  both.wrong = a.wrong + b.wrong;
  return both;
}

void CheckLaunch::Free::operator()(std::byte* memory) const { cudaFree(memory); }

CheckLaunch::CheckLaunch(int device, cudaStream_t stream, const CheckTables& tables,
                         const CheckSpec& spec, const std::vector<RankView>& views,
                         std::span<const int> ranks, const CheckItems& items)
    : device_(device), stream_(stream), largest_(items.largest()) {
  Layout layout;
  const size_t words = layout.add<int32_t>(tables.words.size());
  const size_t programs = layout.add<ChunkProgram>(tables.programs.size());
  const size_t roles = layout.add<uint8_t>(tables.roles.size());
  const size_t findings = layout.add<CheckFinding>(kMostBlocks);
  memory_.reset(device_memory(device, layout.bytes, "checking"));
  std::byte* const memory = memory_.get();
  upload(memory + words, tables.words, stream);
  upload(memory + programs, tables.programs, stream);
  upload(memory + roles, tables.roles, stream);
  check_cuda(cudaStreamSynchronize(stream), "send a GPU what to check");
  args_.words = reinterpret_cast<const int32_t*>(memory + words);
  args_.programs = reinterpret_cast<const ChunkProgram*>(memory + programs);
  args_.roles = reinterpret_cast<const uint8_t*>(memory + roles);
  args_.findings = reinterpret_cast<CheckFinding*>(memory + findings);
  args_.tiling = spec.tiling->numbers();
  args_.data = spec.data;
  args_.first_tile = items.first_tile();
  args_.stride = items.stride();
  args_.pieces = items.pieces();
  args_.rank_count = static_cast<int32_t>(ranks.size());
  for (size_t place = 0; place < ranks.size(); ++place) {
    const RankView& view = views[static_cast<size_t>(ranks[place])];
    args_.ranks[place] = {view.input, view.output, ranks[place]};
  }
}

void CheckLaunch::start(uint64_t first, uint64_t end) {
  use_device(device_);
  const uint64_t threads = std::clamp<uint64_t>(std::bit_ceil(largest_), 32, kCheckThreads);
  const uint64_t work = (end - first) * largest_;
  args_.first_item = first;
  args_.item_end = end;
  args_.blocks = std::clamp<uint64_t>(work / (threads * kElementsOfThread), 1,
                                      std::clamp<uint64_t>(end - first, 1, kMostBlocks));
  // A kernel that does not run must not leave the findings of the one before it.
  check_cuda(cudaMemsetAsync(args_.findings, 0, args_.blocks * sizeof(CheckFinding), stream_),
             "clear the findings of a check");
  const Grid grid{static_cast<unsigned>(args_.blocks), static_cast<unsigned>(threads), false};
  check_cuda(launch(check_kernel, args_, grid, stream_), "check on a GPU");
}

CheckFinding CheckLaunch::result() {
  use_device(device_);
  std::vector<CheckFinding> blocks(args_.blocks);
  check_cuda(cudaMemcpyAsync(blocks.data(), args_.findings, blocks.size() * sizeof(CheckFinding),
                             cudaMemcpyDeviceToHost, stream_),
             "read the findings of a check");
  check_cuda(cudaStreamSynchronize(stream_), "check on a GPU");
  CheckFinding all;
  for (const CheckFinding& block : blocks) {
    if (block.compared > 0) all = together(all, block);  // others have no first_key of their own
  }
  return all;
}

}  // namespace arb
