#include "collectives/runners/mpi/runner.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "collectives/runners/host/copy_limit.hpp"
#include "collectives/runners/host/runner.hpp"
#include "collectives/runners/mpi/message_operation.hpp"
#include "collectives/runners/mpi/openmpi.hpp"
#include "collectives/schedule/virtual_clock.hpp"

namespace arb {
namespace {

constexpr int kTags = 32768;  // every MPI has at least these
constexpr size_t kPipelinedSlotBytes = size_t{64} << 10;
// Larger than any product of latency and bandwidth of a network (200 Gbit/s x 50 us: 1.25 MB), so
// that a further tile costs little; and what it takes to hold 4 of them is still bearable.
constexpr size_t kLargestSlotBytes = size_t{8} << 20;

}  // namespace

SlotConfig choose_message_slots(const Schedule& schedule, const Shape& shape) {
  SlotConfig config;
  config.slots = 4;
  config.direct_bytes = 2048;
  const auto chunks = static_cast<size_t>(schedule.chunks);
  const size_t whole =
      (shape.bytes() + chunks - 1) / chunks * static_cast<size_t>(largest_message(schedule));
  // A grain more for each chunk: chunks are rounded up to whole cache lines.
  const size_t rounded = whole + kCacheLine * static_cast<size_t>(largest_message(schedule));
  const size_t largest =
      tiling_pays(schedule, config.slots) ? kPipelinedSlotBytes : kLargestSlotBytes;
  config.slot_bytes = std::clamp(std::bit_ceil(rounded), kCacheLine, largest);
  return config;
}

int MpiRunner::take_tags(const Schedule& schedule) {
  int channels = 1;
  for (const auto& lanes : schedule.lanes) {
    for (const Lane& lane : lanes) channels = std::max(channels, lane.channel + 1);
  }
  if (next_tag_ + channels > kTags) next_tag_ = 0;
  return std::exchange(next_tag_, next_tag_ + channels);
}

Made MpiRunner::make(const Schedule& schedule, const Facts& facts, ReductionOrder order,
                     const Shape& shape, const SlotConfig& config) {
  const int tag = take_tags(schedule);
  auto operation = std::make_unique<ScheduledOperation>(schedule, facts, std::move(order), shape,
                                                        config, locality_);
  std::string protocol;
  if (!locality_.sees_all(shape.ranks)) {
    protocol = shares_memory_ ? "shm+messages" : "messages";
    return {
        std::make_unique<MessageOperation>(std::move(operation), messages_, messages_.rank(), tag),
        protocol};
  }
  protocol = operation->uses_direct() ? "shm direct" : "shm slots";
  return {std::move(operation), protocol};
}

std::optional<std::string> MpiRunner::unsupported_native(const std::string& name,
                                                         const Shape& shape) const {
  if (const OpenMpiAlgorithm* openmpi = find_openmpi(shape.collective, name)) {
    if (auto reason = openmpi_unsupported(*openmpi, shape)) return reason;
    if (openmpi->forced != 0) return forcing_unavailable_;
    return std::nullopt;
  }
  if (find_native(shape.collective, name) != nullptr && !locality_.sees_all(shape.ranks)) {
    return "its ranks read each other's memory, which they do not share here";
  }
  return unsupported_shared(name, shape);
}

Made MpiRunner::make_native(const std::string& name, const Shape& shape, bool in_place) {
  if (const OpenMpiAlgorithm* openmpi = find_openmpi(shape.collective, name)) {
    return {prepare_openmpi(*openmpi, shape, in_place, messages_.get()), "mpi"};
  }
  return {make_shared_native(name, shape, in_place, locality_, host_.last_level_bytes), "shm"};
}

std::optional<Made> MpiRunner::make_copy_limit(const Shape& shape, bool /*in_place*/) {
  if (!locality_.sees_all(shape.ranks)) return std::nullopt;  // no memory carries all of it
  return Made{make_copy_operation(shape), ""};
}

}  // namespace arb
