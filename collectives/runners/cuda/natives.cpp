#include "collectives/runners/cuda/natives.hpp"

#include <array>

namespace arb {
namespace {

constexpr std::array<CudaNative, 2> kNatives{{
    {"one-shot", one_shot_unsupported, make_one_shot},
    {"two-shot", two_shot_unsupported, make_two_shot},
}};

}  // namespace

std::span<const CudaNative> cuda_natives() { return kNatives; }

const CudaNative* find_cuda_native(std::string_view name) {
  for (const CudaNative& native : cuda_natives()) {
    if (native.name == name) return &native;
  }
  return nullptr;
}

}  // namespace arb
