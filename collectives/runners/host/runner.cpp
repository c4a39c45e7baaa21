#include "collectives/runners/host/runner.hpp"

#include <utility>

namespace arb {

Made HostRunner::make(const Schedule& schedule, const Facts& facts, ReductionOrder order,
                      const Shape& shape, const SlotConfig& config) {
  auto operation = std::make_unique<ScheduledOperation>(schedule, facts, std::move(order), shape,
                                                        config, locality_);
  const char* protocol = operation->uses_direct() ? "direct" : "slots";
  return {std::move(operation), protocol};
}

std::optional<std::string> HostRunner::unsupported_native(const std::string& name,
                                                          const Shape& shape) const {
  const NativeAlgorithm* native = find_native(shape.collective, name);
  if (native == nullptr) {
    return "there is no such algorithm for " + std::string(arb::name(shape.collective));
  }
  return native->unsupported != nullptr ? native->unsupported(shape) : std::nullopt;
}

Made HostRunner::make_native(const std::string& name, const Shape& shape, bool in_place) {
  const NativeAlgorithm* native = find_native(shape.collective, name);
  const NativeConfig config = native_config(shape, in_place, host_.last_level_bytes);
  return {native->prepare(shape, in_place, config, locality_), "shared"};
}

SlotChooser host_slot_chooser(const HostFactsForSlots& host) {
  return [host](const Schedule& schedule, const Shape& shape, bool in_place) {
    return choose_slots(schedule, shape, in_place, host);
  };
}

NativeConfig native_config(const Shape& shape, bool in_place, size_t last_level_bytes) {
  const size_t buffers = in_place ? 1 : 2;
  return {shape.bytes() * static_cast<size_t>(shape.ranks) * buffers > last_level_bytes};
}

}  // namespace arb
