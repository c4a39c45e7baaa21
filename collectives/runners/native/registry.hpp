// Hand-written algorithms that stand beside the schedules, behind the same Operation.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collectives/runners/locality.hpp"
#include "collectives/runners/operation.hpp"

namespace arb {

struct NativeConfig {
  bool stream = false;  // results bypass the caches (they are larger than the last level)
};

/// They read and write each other's memory: all ranks must be near.
struct NativeAlgorithm {
  Collective collective;
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Operation> (*prepare)(const Shape& shape, bool in_place,
                                        const NativeConfig& config, const Locality& locality);
  std::optional<std::string> (*unsupported)(const Shape& shape) = nullptr;
};

std::span<const NativeAlgorithm> natives();

/// nullptr if there is none of that name for the collective.
const NativeAlgorithm* find_native(Collective collective, std::string_view name);

std::unique_ptr<Operation> prepare_one_shot(const Shape& shape, bool in_place,
                                            const NativeConfig& config, const Locality& locality);
std::unique_ptr<Operation> prepare_two_shot(const Shape& shape, bool in_place,
                                            const NativeConfig& config, const Locality& locality);

}  // namespace arb
