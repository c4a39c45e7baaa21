#include "bench/measure/prepared.hpp"

#include <set>

#include "collectives/algorithms/registry.hpp"
#include "collectives/error.hpp"
#include "collectives/runners/native/registry.hpp"

namespace arb {
namespace {

constexpr int kDefaultSlots = 4;

}  // namespace

std::optional<std::string> Preparer::unsupported(const std::string& algorithm,
                                                 const Shape& shape) const {
  if (auto reason = arb::unsupported(shape.dtype, shape.op)) return reason;
  if (const Algorithm* scheduled = find_algorithm(shape.collective, algorithm)) {
    if (scheduled->unsupported != nullptr) {
      if (auto reason = scheduled->unsupported(shape.ranks)) return reason;
    }
    const int slots = choice_.slots.value_or(kDefaultSlots);
    if (shape.ranks > 1 && slots < scheduled->min_slots) {
      return "deadlocks with " + std::to_string(slots) +
             " slot per FIFO (prove shows the cycle); use --slots " +
             std::to_string(scheduled->min_slots) + " or more";
    }
    return std::nullopt;
  }
  if (const NativeAlgorithm* native = find_native(shape.collective, algorithm)) {
    return native->unsupported != nullptr ? native->unsupported(shape) : std::nullopt;
  }
  return "there is no such algorithm for " + std::string(name(shape.collective));
}

const Preparer::Built& Preparer::built(const std::string& algorithm, const Shape& shape, int slots,
                                       bool in_place) {
  auto& found = built_[{shape.collective, algorithm, shape.ranks, shape.root, slots, in_place}];
  if (found == nullptr) {
    const Algorithm* row = find_algorithm(shape.collective, algorithm);
    Schedule schedule = row->build(shape.ranks, shape.root);
    Proof proof = prove(schedule, shape.collective, shape.root, slots, in_place);
    if (!proof.ok()) {
      throw Error(ErrorKind::kInternal,
                  "the schedule of " + algorithm + " for " + std::to_string(shape.ranks) +
                      " ranks is not proved: " + proof.findings.front().message);
    }
    found = std::make_unique<Built>(Built{std::move(schedule), std::move(proof)});
  }
  return *found;
}

SlotConfig Preparer::slot_config(const Schedule& schedule, const Shape& shape,
                                 bool in_place) const {
  SlotConfig config = choose_slots(schedule, shape, in_place, host_);
  config.slots = choice_.slots.value_or(kDefaultSlots);
  if (choice_.slot_bytes) config.slot_bytes = *choice_.slot_bytes;
  return config;
}

Prepared Preparer::prepare(const std::string& algorithm, const Shape& shape, bool in_place) {
  Prepared prepared;
  prepared.algorithm = algorithm;
  if (const NativeAlgorithm* native = find_native(shape.collective, algorithm)) {
    NativeConfig config;
    const size_t buffers = in_place ? 1 : 2;
    config.stream =
        shape.bytes() * static_cast<size_t>(shape.ranks) * buffers > host_.last_level_bytes;
    prepared.kind = "native";
    prepared.protocol = "shared";
    prepared.operation = native->prepare(shape, in_place, config);
    return prepared;
  }
  const int slots = choice_.slots.value_or(kDefaultSlots);
  const Built& from = built(algorithm, shape, slots, in_place);
  const SlotConfig config = slot_config(from.schedule, shape, in_place);
  auto operation = std::make_unique<ScheduledOperation>(from.schedule, from.proof.facts,
                                                        from.proof.order, shape, config);
  prepared.kind = "scheduled";
  prepared.protocol = operation->uses_direct() ? "direct" : "slots";
  prepared.config = config;
  prepared.proof = &from.proof;
  prepared.operation = std::move(operation);
  return prepared;
}

size_t Preparer::slot_memory(const std::string& algorithm, const Shape& shape,
                             bool in_place) const {
  const Algorithm* row = find_algorithm(shape.collective, algorithm);
  if (row == nullptr) return 0;
  const Schedule schedule = row->build(shape.ranks, shape.root);
  const SlotConfig config = slot_config(schedule, shape, in_place);
  std::set<std::tuple<int, int, int>> fifos;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    for (const Lane& lane : schedule.lanes[static_cast<size_t>(rank)]) {
      for (const Step& step : lane.steps) {
        if (step.send_to != kNone) fifos.insert({rank, step.send_to, lane.channel});
      }
    }
  }
  const size_t slot = slot_bytes_for(schedule, shape, config) + sizeof(Slot);
  return fifos.size() * slot * static_cast<size_t>(config.slots) +
         static_cast<size_t>(shape.ranks) * config.slot_bytes *
             static_cast<size_t>(schedule.chunks);
}

}  // namespace arb
