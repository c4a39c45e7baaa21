#include "collectives/runners/cuda/fifo_plan.hpp"

#include <algorithm>
#include <cstdint>

namespace arb {
namespace {

constexpr size_t kLine = 128;  // of a GPU's caches: flags that different sides write keep apart

}  // namespace

FifoPlan::FifoPlan(const Schedule& schedule, const GroupMap& map, int channels, int slots,
                   size_t slot_bytes)
    : gpus_(static_cast<size_t>(map.gpu_count())) {
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    for (const Lane& lane : schedule.lanes[static_cast<size_t>(rank)]) {
      for (const Step& step : lane.steps) {
        if (step.send_to == kNone) continue;
        auto& of_channel = spots_[{rank, step.send_to, lane.channel}];
        if (!of_channel.empty()) continue;
        FifoSpot spot;
        spot.sender_gpu = map.gpu_of(rank);
        spot.receiver_gpu = map.gpu_of(step.send_to);
        spot.far = !map.same_node(spot.sender_gpu, spot.receiver_gpu);
        spot.on_host = !spot.far && !map.linked(spot.sender_gpu, spot.receiver_gpu);
        of_channel.assign(static_cast<size_t>(channels), spot);
      }
    }
  }
  // The words that are polled first, close together; payloads behind them.
  for (auto& [key, of_channel] : spots_) {
    for (FifoSpot& spot : of_channel) place_words(spot, slots, map);
  }
  for (auto& [key, of_channel] : spots_) {
    for (FifoSpot& spot : of_channel) {
      place_slots(spot, static_cast<size_t>(slots) * slot_bytes, map);
    }
  }
}

void FifoPlan::place_words(FifoSpot& spot, int slots, const GroupMap& map) {
  if (spot.far) {
    const int sender = map.at(spot.sender_gpu).process;
    const int receiver = map.at(spot.receiver_gpu).process;
    spot.tag = tags_of_[{sender, receiver}]++;
    tags_ = std::max(tags_, spot.tag + 1);
    for (const bool sends : {true, false}) {
      RingSpot& ring = sends ? spot.sender_ring : spot.receiver_ring;
      Room& room = far_room(sends ? sender : receiver);
      ring.tail = room.take(sizeof(uint64_t), kLine);
      ring.head = room.take(sizeof(uint64_t), kLine);
      if (sends) ring.lengths = room.take(static_cast<size_t>(slots) * sizeof(uint64_t), kLine);
    }
    return;
  }
  Room& receiver = spot.on_host ? host_ : gpus_[static_cast<size_t>(spot.receiver_gpu)];
  Room& sender = spot.on_host ? host_ : gpus_[static_cast<size_t>(spot.sender_gpu)];
  spot.tail = receiver.take(sizeof(uint64_t), kLine);
  spot.head = sender.take(sizeof(uint64_t), kLine);
}

void FifoPlan::place_slots(FifoSpot& spot, size_t bytes, const GroupMap& map) {
  if (!spot.far) {
    Room& room = spot.on_host ? host_ : gpus_[static_cast<size_t>(spot.receiver_gpu)];
    spot.slots = room.take(bytes, kLine);
    return;
  }
  for (const bool sends : {true, false}) {
    RingSpot& ring = sends ? spot.sender_ring : spot.receiver_ring;
    Room& room = map.device_messages ? gpus_[static_cast<size_t>(spot.gpu(sends))]
                                     : far_room(map.at(spot.gpu(sends)).process);
    ring.slots = room.take(bytes, kLine);
  }
}

Room& FifoPlan::far_room(int process) {
  const auto index = static_cast<size_t>(process);
  if (index >= far_.size()) far_.resize(index + 1);
  return far_[index];
}

size_t FifoPlan::far_bytes(int process) const {
  const auto index = static_cast<size_t>(process);
  return index < far_.size() ? far_[index].bytes() : 0;
}

std::vector<size_t> FifoPlan::gpu_bytes() const {
  std::vector<size_t> bytes;
  bytes.reserve(gpus_.size());
  for (const Room& room : gpus_) bytes.push_back(room.bytes());
  return bytes;
}

}  // namespace arb
