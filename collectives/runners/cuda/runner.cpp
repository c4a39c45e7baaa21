#include "collectives/runners/cuda/runner.hpp"

#include <numeric>
#include <utility>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/copy_operation.hpp"
#include "collectives/runners/cuda/natives.hpp"
#include "collectives/runners/cuda/scheduled_operation.hpp"

namespace arb {
namespace {

/// Memory of `rank`'s GPU as this process sees it.
std::shared_ptr<std::byte> message_memory(GpuWorld& world, int rank, size_t bytes) {
  if (bytes == 0) return nullptr;
  constexpr const char* kPurpose = "message buffers";
  const int gpu = world.map.gpu_of(rank);
  if (!world.sees_all) {  // everybody for himself: nothing to agree on
    return owned_device_memory(world.map.at(gpu).device, bytes, kPurpose);
  }
  std::vector<size_t> of_gpu(static_cast<size_t>(world.map.gpu_count()));
  of_gpu[static_cast<size_t>(gpu)] = bytes;
  const auto block = world.memory.allocate(of_gpu, 0, kPurpose);
  std::byte* const data = block->on[static_cast<size_t>(gpu)];
  // A process without ranks sees nothing, but takes part.
  return {data, [block](std::byte*) {}};
}

}  // namespace

CudaRunner::CudaRunner(GpuWorld& world) : world_(world) {
  locality_.driven = world.driven;
  locality_.near = world.driven;
  if (world.sees_all) {
    locality_.near.resize(static_cast<size_t>(world.map.ranks));
    std::iota(locality_.near.begin(), locality_.near.end(), 0);
  }
  locality_.allocate = [several = world.peers != nullptr](size_t bytes) {
    if (several) {
      throw Error(ErrorKind::kInternal, "processes with GPUs share no memory of the host");
    }
    return private_memory(bytes);
  };
  locality_.allocate_for = [&world](int rank, size_t bytes) {
    return message_memory(world, rank, bytes);
  };
}

Made CudaRunner::make(const Schedule& schedule, const Facts& facts, ReductionOrder order,
                      const Shape& shape, const SlotConfig& config) {
  auto operation =
      DeviceScheduledOperation::make(world_, schedule, facts, std::move(order), shape, config);
  std::string protocol = config.lines ? "ll" : "simple";
  if (operation->uses_host_memory()) protocol += ", host memory";
  if (operation->needs_carrying()) {
    protocol += world_.map.device_messages ? ", device messages" : ", messages";
  }
  return {std::move(operation), std::move(protocol)};
}

std::optional<std::string> CudaRunner::unsupported_native(const std::string& name,
                                                          const Shape& shape) const {
  const CudaNative* native = find_cuda_native(name);
  if (native == nullptr) {
    return "there is no such algorithm for " + std::string(arb::name(shape.collective)) +
           " on GPUs";
  }
  return native->unsupported(native->name, shape, world_);
}

Made CudaRunner::make_native(const std::string& name, const Shape& shape, bool in_place) {
  const CudaNative* native = find_cuda_native(name);
  return native->make(native->name, shape, in_place, world_);
}

std::optional<Made> CudaRunner::make_copy_limit(const Shape& shape, bool in_place) {
  if (in_place) return std::nullopt;  // a GPU would have nothing to copy
  return Made{make_gpu_copy(shape), ""};
}

}  // namespace arb
