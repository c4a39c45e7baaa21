// Where the FIFOs of a schedule lie: computed alike by all processes, so that what one of them
// shares of each GPU is one block.
#pragma once

#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

#include "collectives/runners/cuda/group_map.hpp"
#include "collectives/runners/operation.hpp"
#include "collectives/schedule/schedule.hpp"

namespace arb {

/// Takes room in a block, piece by piece.
class Room {
 public:
  size_t take(size_t bytes, size_t alignment) {
    at_ = (at_ + alignment - 1) / alignment * alignment;
    const size_t begin = at_;
    at_ += bytes;
    return begin;
  }
  size_t bytes() const { return at_; }

 private:
  size_t at_ = 0;
};

/// One end of a FIFO between nodes: offsets in host memory of its process, but for slots that lie
/// in the block of its GPU (map.device_messages).
struct RingSpot {
  size_t slots = 0;
  size_t tail = 0;
  size_t head = 0;
  size_t lengths = 0;
};

/// Offsets in the block of the receiver's GPU (slots and tail) and of the sender's (head); all of
/// them in host memory where the two do not reach each other; two rings between nodes.
struct FifoSpot {
  bool on_host = false;
  bool far = false;
  int receiver_gpu = 0;
  int sender_gpu = 0;
  size_t slots = 0;
  size_t tail = 0;
  size_t head = 0;
  RingSpot sender_ring, receiver_ring;
  int tag = 0;  // far: its number among those of the two processes, this way round

  const RingSpot& ring(bool sends) const { return sends ? sender_ring : receiver_ring; }
  int gpu(bool sends) const { return sends ? sender_gpu : receiver_gpu; }
};

class FifoPlan {
 public:
  using Key = std::tuple<int, int, int>;  // sender, receiver, channel of the schedule

  /// channels: of the device, each with its own FIFOs. slot_bytes: distance of slots.
  FifoPlan(const Schedule& schedule, const GroupMap& map, int channels, int slots,
           size_t slot_bytes);

  const FifoSpot& at(const Key& fifo, int channel) const {
    return spots_.at(fifo)[static_cast<size_t>(channel)];
  }
  const std::map<Key, std::vector<FifoSpot>>& all() const { return spots_; }
  std::vector<size_t> gpu_bytes() const;
  size_t host_bytes() const { return host_.bytes(); }
  /// Of a process's own host memory, for its ends of FIFOs between nodes.
  size_t far_bytes(int process) const;
  /// Tags are below it.
  int tags() const { return tags_; }

 private:
  void place_words(FifoSpot& spot, int slots, const GroupMap& map);
  void place_slots(FifoSpot& spot, size_t bytes, const GroupMap& map);
  Room& far_room(int process);

  std::map<Key, std::vector<FifoSpot>> spots_;  // [channel of the device]
  std::vector<Room> gpus_;
  Room host_;
  std::vector<Room> far_;                       // [process]
  std::map<std::pair<int, int>, int> tags_of_;  // processes
  int tags_ = 0;
};

}  // namespace arb
