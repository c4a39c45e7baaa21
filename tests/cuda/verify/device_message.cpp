#include "tests/cuda/verify/device_message.hpp"

#include <cuda_runtime.h>

#include <cstring>

#include "verify/cuda/device_tools.hpp"

namespace arb::test {
namespace {

std::vector<int> devices(int ranks, int gpus) {
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(rank % gpus);
  return all;
}

}  // namespace

void DeviceMessage::Free::operator()(std::byte* memory) const { cudaFree(memory); }

DeviceMessage::DeviceMessage(const MessageSpec& spec, const ReductionOrder& order, int gpus)
    : spec_(spec),
      host_(spec, order),
      tools_(gpu_buffer_tools(devices(spec.data.ranks, gpus))),
      bytes_(spec.count * size_of(spec.data.dtype) + 2 * kGuardBytes) {
  const auto upload = [&](int rank, bool of_output) {
    cudaSetDevice(rank % gpus);
    void* memory = nullptr;
    cudaMalloc(&memory, bytes_);
    cudaMemcpy(memory, on_host(rank, of_output), bytes_, cudaMemcpyHostToDevice);
    return Memory(static_cast<std::byte*>(memory));
  };
  for (int rank = 0; rank < spec.data.ranks; ++rank) {
    inputs_.push_back(upload(rank, false));
    if (!spec.in_place) outputs_.push_back(upload(rank, true));
  }
  cudaSetDevice(0);
}

const std::byte* DeviceMessage::on_host(int rank, bool of_output) {
  return (of_output ? host_.output(rank) : host_.input(rank)) - kGuardBytes;
}

std::vector<MutableRank> DeviceMessage::mutable_views() const {
  std::vector<MutableRank> all;
  for (size_t rank = 0; rank < inputs_.size(); ++rank) {
    all.push_back({message(inputs_[rank]), message((spec_.in_place ? inputs_ : outputs_)[rank])});
  }
  return all;
}

std::vector<RankView> DeviceMessage::views() const {
  std::vector<RankView> all;
  for (const MutableRank& rank : mutable_views()) all.push_back({rank.input, rank.output});
  return all;
}

Verdict DeviceMessage::check(bool knows_order, size_t workers) const {
  Verdict verdict;
  for (size_t worker = 0; worker < workers; ++worker) {
    verdict.merge(tools_->check(host_.check_spec(knows_order), views(), worker, workers));
  }
  return verdict;
}

void DeviceMessage::inject(const Fault& fault, bool knows_order) {
  host_.inject(fault, knows_order);
  tools_->apply(fault, host_.check_spec(knows_order), mutable_views());
}

bool DeviceMessage::equals_host() {
  std::vector<std::byte> here(bytes_);
  bool equal = true;
  const auto compare = [&](int rank, const Memory& memory, bool of_output) {
    tools_->read(rank, memory.get(), bytes_, here.data());
    equal = equal && std::memcmp(here.data(), on_host(rank, of_output), bytes_) == 0;
  };
  for (int rank = 0; rank < spec_.data.ranks; ++rank) {
    compare(rank, inputs_[static_cast<size_t>(rank)], false);
    if (!spec_.in_place) compare(rank, outputs_[static_cast<size_t>(rank)], true);
  }
  return equal;
}

void DeviceMessage::flip(int rank, bool of_output, size_t byte) {
  const auto& memory = of_output && !spec_.in_place ? outputs_ : inputs_;
  std::byte* const at = message(memory[static_cast<size_t>(rank)]) + byte;
  std::byte value{};
  tools_->read(rank, at, 1, &value);
  value ^= std::byte{1};
  cudaMemcpy(at, &value, 1, cudaMemcpyHostToDevice);
}

std::string words(const Verdict& v) {
  return std::to_string(v.wrong) + " wrong, " + v.check + ", rank " + std::to_string(v.rank) +
         ", index " + std::to_string(v.index) + ", wanted " + v.wanted + ", got " + v.got +
         ", ulps " + (v.ulps ? std::to_string(*v.ulps) : "-");
}

bool same_words(const Verdict& a, const Verdict& b) { return words(a) == words(b); }

}  // namespace arb::test
