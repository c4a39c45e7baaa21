#include "collectives/runners/cuda/fifo_plan.hpp"

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
        spot.on_host = !map.linked(spot.sender_gpu, spot.receiver_gpu);
        of_channel.assign(static_cast<size_t>(channels), spot);
      }
    }
  }
  // The words that are polled first, close together; payloads behind them.
  for (auto& [key, of_channel] : spots_) {
    for (FifoSpot& spot : of_channel) {
      Room& receiver = spot.on_host ? host_ : gpus_[static_cast<size_t>(spot.receiver_gpu)];
      Room& sender = spot.on_host ? host_ : gpus_[static_cast<size_t>(spot.sender_gpu)];
      spot.tail = receiver.take(sizeof(uint64_t), kLine);
      spot.head = sender.take(sizeof(uint64_t), kLine);
    }
  }
  for (auto& [key, of_channel] : spots_) {
    for (FifoSpot& spot : of_channel) {
      Room& receiver = spot.on_host ? host_ : gpus_[static_cast<size_t>(spot.receiver_gpu)];
      spot.slots = receiver.take(static_cast<size_t>(slots) * slot_bytes, kLine);
    }
  }
}

std::vector<size_t> FifoPlan::gpu_bytes() const {
  std::vector<size_t> bytes;
  bytes.reserve(gpus_.size());
  for (const Room& room : gpus_) bytes.push_back(room.bytes());
  return bytes;
}

}  // namespace arb
