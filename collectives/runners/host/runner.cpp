#include "collectives/runners/host/runner.hpp"

#include <utility>

#include "collectives/runners/host/copy_limit.hpp"

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
  return unsupported_shared(name, shape);
}

Made HostRunner::make_native(const std::string& name, const Shape& shape, bool in_place) {
  return {make_shared_native(name, shape, in_place, locality_, host_.last_level_bytes), "shared"};
}

std::optional<Made> HostRunner::make_copy_limit(const Shape& shape, bool /*in_place*/) {
  return Made{make_copy_operation(shape), ""};
}

SlotChooser host_slot_chooser(const HostFactsForSlots& host) {
  return [host](const Schedule& schedule, const Shape& shape, bool in_place) {
    return choose_slots(schedule, shape, in_place, host);
  };
}

std::optional<std::string> unsupported_shared(const std::string& name, const Shape& shape) {
  const NativeAlgorithm* native = find_native(shape.collective, name);
  if (native == nullptr) {
    return "there is no such algorithm for " + std::string(arb::name(shape.collective));
  }
  return native->unsupported != nullptr ? native->unsupported(shape) : std::nullopt;
}

std::unique_ptr<Operation> make_shared_native(const std::string& name, const Shape& shape,
                                              bool in_place, const Locality& locality,
                                              size_t last_level_bytes) {
  const size_t buffers = in_place ? 1 : 2;
  const NativeConfig config{shape.bytes() * static_cast<size_t>(shape.ranks) * buffers >
                            last_level_bytes};
  return find_native(shape.collective, name)->prepare(shape, in_place, config, locality);
}

}  // namespace arb
