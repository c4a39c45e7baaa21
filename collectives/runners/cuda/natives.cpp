#include "collectives/runners/cuda/natives.hpp"

#include <array>

namespace arb {
namespace {

constexpr std::array<CudaNative, 6> kNatives{{
    {"one-shot", one_shot_unsupported, make_one_shot},
    {"two-shot", two_shot_unsupported, make_two_shot},
    {"nccl:default", nccl_native_unsupported, make_nccl_native},
    {"nccl:ring", nccl_native_unsupported, make_nccl_native},
    {"nccl:tree", nccl_native_unsupported, make_nccl_native},
    {"nccl:nvls-off", nccl_native_unsupported, make_nccl_native},
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
