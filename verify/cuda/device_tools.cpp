#include "verify/cuda/device_tools.hpp"

#include <algorithm>
#include <utility>

#include "collectives/ops/visit.hpp"
#include "collectives/runners/cuda/cuda_call.hpp"
#include "collectives/runners/cuda/launch.hpp"
#include "verify/cuda/device_copies.hpp"
#include "verify/cuda/device_judge.hpp"
#include "verify/cuda/fault_mirror.hpp"
#include "verify/cuda/kernels.hpp"
#include "verify/digest.hpp"

namespace arb {
namespace {

/// A kernel over `work` things, each thread doing some of them.
Grid grid_for(uint64_t work) {
  constexpr uint64_t kPerBlock = 8 * uint64_t{kCheckThreads};
  return {static_cast<unsigned>(std::clamp<uint64_t>(work / kPerBlock, 1, 1024)), kCheckThreads,
          false};
}

class DeviceTools final : public BufferTools {
 public:
  explicit DeviceTools(std::vector<int> device_of_rank) : copies_(std::move(device_of_rank)) {}

  void generate(const DataSpec& spec, int rank, size_t first, size_t count,
                std::byte* to) const override {
    if (!copies_.on_gpu(rank)) return host_buffer_tools().generate(spec, rank, first, count, to);
    if (count == 0) return;
    const Grid grid = grid_for(count);
    run(rank, generate_kernel, GenerateArgs{spec, rank, first, count, to, grid.blocks}, grid,
        "generate inputs on a GPU");
  }

  void poison(int rank, std::byte* at, size_t bytes) const override {
    if (!copies_.on_gpu(rank)) return host_buffer_tools().poison(rank, at, bytes);
    if (bytes == 0) return;
    const Grid grid = grid_for(bytes / sizeof(uint64_t));
    run(rank, poison_kernel, PoisonArgs{at, bytes, grid.blocks}, grid, "poison outputs on a GPU");
  }

  // Guards are a few bytes: a copy costs what a kernel would.
  void set_guard(int rank, std::byte* guard, size_t bytes, unsigned salt) const override {
    std::vector<std::byte> here(bytes);
    arb::set_guard(here.data(), bytes, salt);
    copies_.write(rank, here.data(), bytes, guard);
  }
  long changed_guard(int rank, const std::byte* guard, size_t bytes, unsigned salt) const override {
    std::vector<std::byte> here(bytes);
    copies_.read(rank, guard, bytes, here.data());
    return arb::changed_guard(here.data(), bytes, salt);
  }

  Verdict check(const CheckSpec& spec, const std::vector<RankView>& ranks, size_t first_tile,
                size_t stride) const override {
    return check_on_gpus(spec, ranks, first_tile, stride, copies_);
  }
  void apply(const Fault& fault, const CheckSpec& spec,
             const std::vector<MutableRank>& ranks) const override {
    apply_on_gpus(fault, spec, ranks, copies_);
  }
  void read(int rank, const std::byte* from, size_t bytes, std::byte* to) const override {
    copies_.read(rank, from, bytes, to);
  }

  uint64_t digest(int rank, Dtype dtype, const std::byte* from, size_t count) const override {
    return visit(dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      constexpr size_t kPart = (size_t{1} << 20) / sizeof(T);
      std::vector<T> here(std::min(count, kPart));
      uint64_t sum = count;
      for (size_t done = 0; done < count; done += kPart) {
        const size_t part = std::min(kPart, count - done);
        copies_.read(rank, from + done * sizeof(T), part * sizeof(T),
                     reinterpret_cast<std::byte*>(here.data()));
        sum = digest_elements(sum, here.data(), part);
      }
      return sum;
    });
  }

 private:
  template <class Args>
  void run(int rank, void (*kernel)(Args), const Args& args, const Grid& grid,
           const char* purpose) const {
    const int device = copies_.device_of(rank);
    const OnDevice current(device);
    cudaStream_t stream = copies_.stream_of(device);
    check_cuda(launch(kernel, args, grid, stream), purpose);
    check_cuda(cudaStreamSynchronize(stream), purpose);
  }

  DeviceCopies copies_;
};

}  // namespace

std::unique_ptr<BufferTools> gpu_buffer_tools(std::vector<int> device_of_rank) {
  return std::make_unique<DeviceTools>(std::move(device_of_rank));
}

}  // namespace arb
