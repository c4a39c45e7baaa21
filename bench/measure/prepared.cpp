#include "bench/measure/prepared.hpp"

#include <set>

#include "collectives/algorithms/registry.hpp"
#include "collectives/error.hpp"

namespace arb {
namespace {

constexpr int kDefaultSlots = 4;

}  // namespace

std::optional<std::string> Preparer::unsupported(const std::string& algorithm, const Shape& shape,
                                                 const Runner& runner) const {
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
  return runner.unsupported_native(algorithm, shape);
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
  SlotConfig config = chooser_(schedule, shape, in_place);
  config.slots = choice_.slots.value_or(kDefaultSlots);
  if (choice_.slot_bytes) config.slot_bytes = *choice_.slot_bytes;
  return config;
}

Prepared Preparer::prepare(const std::string& algorithm, const Shape& shape, bool in_place,
                           Runner& runner) {
  Prepared prepared;
  prepared.algorithm = algorithm;
  Made made;
  if (find_algorithm(shape.collective, algorithm) == nullptr) {
    prepared.kind = "native";
    made = runner.make_native(algorithm, shape, in_place);
  } else {
    const int slots = choice_.slots.value_or(kDefaultSlots);
    const Built& from = built(algorithm, shape, slots, in_place);
    prepared.kind = "scheduled";
    prepared.config = slot_config(from.schedule, shape, in_place);
    prepared.schedule = &from.schedule;
    prepared.proof = &from.proof;
    made = runner.make(from.schedule, from.proof.facts, from.proof.order, shape, *prepared.config);
  }
  prepared.protocol = std::move(made.protocol);
  prepared.operation = std::move(made.operation);
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
  const size_t payload = slot_bytes_for(schedule, shape, config) * (config.lines ? 2 : 1);
  const size_t one_channel =
      fifos.size() * (payload + sizeof(Slot)) * static_cast<size_t>(config.slots) +
      static_cast<size_t>(shape.ranks) * config.slot_bytes * static_cast<size_t>(schedule.chunks);
  return one_channel * static_cast<size_t>(config.channels);
}

}  // namespace arb
