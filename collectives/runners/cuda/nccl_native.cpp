// NCCL among the native algorithms of a group.
#include "collectives/error.hpp"
#include "collectives/runners/cuda/natives.hpp"
#include "collectives/runners/cuda/nccl_operation.hpp"

namespace arb {

std::optional<std::string> nccl_native_unsupported(std::string_view name, const Shape& shape,
                                                   const GpuWorld& world) {
  const NcclAlgorithm* row = find_nccl(shape.collective, name);
  if (row == nullptr) {
    return "NCCL has no other way for " + std::string(arb::name(shape.collective)) +
           " than nccl:default";
  }
  return NcclGroup(world.local, world.map.ranks, world.peers).unsupported(*row, shape);
}

Made make_nccl_native(std::string_view name, const Shape& shape, bool /*in_place*/,
                      GpuWorld& world) {
  const NcclAlgorithm* row = find_nccl(shape.collective, name);
  if (row == nullptr) throw Error(ErrorKind::kInternal, "no such row: " + std::string(name));
  if (world.nccl == nullptr) {
    world.nccl = std::make_shared<NcclGroup>(world.local, world.map.ranks, world.peers);
  }
  Made made;  // NCCL does not tell which protocol it takes
  world.all_or_none([&] { made.operation = world.nccl->make(*row, shape); });
  return made;
}

}  // namespace arb
