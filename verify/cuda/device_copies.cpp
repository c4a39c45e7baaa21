#include "verify/cuda/device_copies.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

#include "collectives/runners/cuda/cuda_call.hpp"
#include "collectives/schedule/collective.hpp"

namespace arb {

OnDevice::OnDevice(int device) {
  check_cuda(cudaGetDevice(&before_), "ask for the current GPU");
  use_device(device);
}

OnDevice::~OnDevice() { cudaSetDevice(before_); }

std::byte* start_of_message(std::byte* at, size_t offset) {
  // As an integer: the start is outside the memory that `at` is part of.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<std::byte*>(reinterpret_cast<uintptr_t>(at) - offset);
}

DeviceCopies::DeviceCopies(std::vector<int> device_of_rank)
    : device_of_rank_(std::move(device_of_rank)) {
  for (const int device : device_of_rank_) {
    if (device < 0 || streams_.count(device) != 0) continue;
    const OnDevice current(device);
    streams_.emplace(device, Stream());
  }
}

void DeviceCopies::copy(int rank, const std::byte* from, size_t bytes, std::byte* to,
                        cudaMemcpyKind kind) const {
  if (bytes == 0) return;
  if (!on_gpu(rank)) {
    std::memcpy(to, from, bytes);
    return;
  }
  const OnDevice current(device_of(rank));
  cudaStream_t stream = stream_of(device_of(rank));
  check_cuda(cudaMemcpyAsync(to, from, bytes, kind, stream), "copy from or to a GPU");
  check_cuda(cudaStreamSynchronize(stream), "copy from or to a GPU");
}

void DeviceCopies::read(int rank, const std::byte* from, size_t bytes, std::byte* to) const {
  copy(rank, from, bytes, to, cudaMemcpyDeviceToHost);
}

void DeviceCopies::write(int rank, const std::byte* from, size_t bytes, std::byte* to) const {
  copy(rank, from, bytes, to, cudaMemcpyHostToDevice);
}

Verdict DeviceCopies::judge_on_host(const CheckSpec& spec, const std::vector<RankView>& views,
                                    int chunk, const Range& part) const {
  const size_t element = size_of(spec.data.dtype);
  const size_t offset = part.begin * element;
  std::vector<std::vector<std::byte>> memory;
  const auto copied = [&](int rank, const std::byte* message, bool real) -> const std::byte* {
    if (message == nullptr || !real || part.size == 0) return nullptr;
    if (!on_gpu(rank)) return message;
    memory.emplace_back(part.size * element);
    read(rank, message + offset, part.size * element, memory.back().data());
    return start_of_message(memory.back().data(), offset);
  };
  std::vector<RankView> copies(views.size());
  for (int rank = 0; rank < static_cast<int>(views.size()); ++rank) {
    const RankView& view = views[static_cast<size_t>(rank)];
    RankView& copy = copies[static_cast<size_t>(rank)];
    copy.output = copied(rank, view.output, has_output(spec.collective, rank, chunk, spec.root));
    if (spec.in_place) {
      copy.input = copy.output;
    } else {
      copy.input = copied(rank, view.input, has_input(spec.collective, rank, chunk, spec.root));
    }
  }
  return check_part(spec, copies, chunk, part);
}

}  // namespace arb
