// Runs a proved schedule over shared memory: every lane is a cursor that moves when it can.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/runners/host/fifo.hpp"
#include "collectives/runners/locality.hpp"
#include "collectives/runners/operation.hpp"
#include "collectives/schedule/schedule.hpp"

namespace arb {

/// How the FIFOs of one operation are cut; recorded with every result.
struct SlotConfig {
  int slots = 4;          // per FIFO
  size_t slot_bytes = 0;  // largest message
  size_t direct_bytes =
      0;  // messages of at least this size are read from the sender's own buffer if the facts allow
  bool stream = false;  // final stores bypass the caches
  // GPUs only:
  int channels = 1;    // blocks per lane, each with its own FIFOs: channel c does tiles c, c+C, ...
  bool lines = false;  // protocol LL: flags travel with the data
};

/// What the choice depends on.
struct HostFactsForSlots {
  int workers = 1;
  size_t cache_bytes = size_t{1} << 20;        // of one core, private
  size_t last_level_bytes = size_t{32} << 20;  // shared
};

/// Slots by message size: large enough to amortise a hand-over, small enough that what is in flight
/// stays in the caches.
SlotConfig choose_slots(const Schedule& schedule, const Shape& shape, bool in_place,
                        const HostFactsForSlots& host);

/// The largest slice, in chunks, that any step sends: what has to fit one slot.
int largest_message(const Schedule& schedule);

/// The chunks that step `step` of a lane of `rank` handles. One that only passes a message on has
/// them from its sender.
Slice message_slice(const Schedule& schedule, int rank, const Lane& lane, size_t step);

/// config.slot_bytes, or what the smallest tile needs if that is more: an element in every chunk of
/// a message.
size_t slot_bytes_for(const Schedule& schedule, const Shape& shape, const SlotConfig& config);

/// The tiling that `config` implies for `schedule` and `shape`.
Tiling tile_for(const Schedule& schedule, const Shape& shape, const SlotConfig& config);

class ScheduledOperation final : public Operation {
 public:
  /// The schedule must be proved for config.slots and for the aliasing that begin() will be given;
  /// `facts` and `order` are the proof's. Only the driven ranks can be advanced. Collective over
  /// the processes of the near ranks.
  ScheduledOperation(const Schedule& schedule, const Facts& facts, ReductionOrder order,
                     const Shape& shape, const SlotConfig& config, const Locality& locality);
  ~ScheduledOperation() override;

  void begin(int rank, const RankBuffers& buffers) override;
  Advance advance(int rank) override;
  std::string where(int rank) const override;
  int waits_for(int rank) const override;
  const Tiling& tiling() const override { return tiling_; }
  const ReductionOrder* order() const override { return &order_; }

  bool uses_direct() const { return uses_direct_; }

  size_t slot_memory_bytes() const { return slot_memory_bytes_; }
  /// FIFOs between a driven rank and one whose memory is elsewhere: somebody has to carry what is
  /// published in them, or publish what arrives.
  const std::vector<Fifo*>& far_fifos() const { return far_; }

 private:
  struct CompiledStep;
  struct LaneCursor;
  struct RankState;
  struct Compiler;

  bool ready(const CompiledStep& step, const LaneCursor& lane, const RankState& state) const;
  void apply(const CompiledStep& step, LaneCursor& lane, RankState& state) const;

  struct SliceBytes {
    size_t offset;
    size_t bytes;
  };

  Schedule schedule_;  // for where()
  ReductionOrder order_;
  Shape shape_;
  Tiling tiling_;
  bool uses_direct_ = false;
  bool streams_ = false;
  size_t element_bytes_;
  size_t tile_stride_ = 0;        // bytes from one tile to the next
  size_t slot_memory_bytes_ = 0;  // payloads of slots
  void (*reduce_)(void*, const void*, const void*, size_t);
  void (*finish_)(void*, size_t, int);
  std::vector<SliceBytes> full_, last_;  // [slice id] of a full and of the last tile
  std::vector<std::unique_ptr<Fifo>> fifos_;
  std::vector<Fifo*> far_;
  std::vector<size_t> lengths_;  // of far FIFOs
  std::shared_ptr<std::byte> near_memory_;
  std::shared_ptr<std::byte> far_memory_;
  std::vector<std::unique_ptr<RankState>> ranks_;  // null: not near
};

}  // namespace arb
