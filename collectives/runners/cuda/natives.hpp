// Algorithms on GPUs that no schedule describes: hand-written kernels, and libraries.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collectives/runners/cuda/gpu_world.hpp"
#include "collectives/runners/runner.hpp"

namespace arb {

/// One row for each name. The functions get the name, so that variants can share them.
struct CudaNative {
  std::string_view name;
  /// Why it cannot run this shape on these GPUs, or nullopt. Alike in all processes.
  std::optional<std::string> (*unsupported)(std::string_view name, const Shape& shape,
                                            const GpuWorld& world);
  /// The operation is a DeviceOperation. Collective.
  Made (*make)(std::string_view name, const Shape& shape, bool in_place, GpuWorld& world);
};

std::span<const CudaNative> cuda_natives();
const CudaNative* find_cuda_native(std::string_view name);

std::optional<std::string> one_shot_unsupported(std::string_view name, const Shape& shape,
                                                const GpuWorld& world);
Made make_one_shot(std::string_view name, const Shape& shape, bool in_place, GpuWorld& world);
std::optional<std::string> two_shot_unsupported(std::string_view name, const Shape& shape,
                                                const GpuWorld& world);
Made make_two_shot(std::string_view name, const Shape& shape, bool in_place, GpuWorld& world);
std::optional<std::string> nccl_native_unsupported(std::string_view name, const Shape& shape,
                                                   const GpuWorld& world);
Made make_nccl_native(std::string_view name, const Shape& shape, bool in_place, GpuWorld& world);

}  // namespace arb
