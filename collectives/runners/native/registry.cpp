#include "collectives/runners/native/registry.hpp"

#include <array>

namespace arb {
namespace {

constexpr std::array<NativeAlgorithm, 2> kNatives{{
    {Collective::kAllReduce, "one-shot",
     "every rank reads all inputs and reduces them itself: 1 step, (N-1)K read; wins at small "
     "sizes",
     prepare_one_shot},
    {Collective::kAllReduce, "two-shot",
     "rank r reduces stripe r of all inputs and writes it to all outputs: 2 steps; wins at large "
     "sizes",
     prepare_two_shot},
}};

}  // namespace

std::span<const NativeAlgorithm> natives() { return kNatives; }

const NativeAlgorithm* find_native(Collective collective, std::string_view name) {
  for (const NativeAlgorithm& native : kNatives) {
    if (native.collective == collective && native.name == name) return &native;
  }
  return nullptr;
}

}  // namespace arb
