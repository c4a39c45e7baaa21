// Schedule + facts + shape -> the flat tables of the hot loop.
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "collectives/error.hpp"
#include "collectives/ops/kernels.hpp"
#include "collectives/runners/host/scheduled_detail.hpp"

namespace arb {
namespace {

int message_chunks(const Step& step) {
  if (step.local) return step.local.count;
  return step.store ? step.store.count : 1;
}

bool overlap(const Slice& a, const Slice& b) {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

/// Does any step of the rank read what `store` wrote? In place, input and output are one memory.
bool read_again(const std::vector<Lane>& lanes, const Slice& store) {
  for (const Lane& lane : lanes) {
    for (const Step& step : lane.steps) {
      if (step.local && step.local.buffer != Buffer::kInput && overlap(step.local, store))
        return true;
    }
  }
  return false;
}

}  // namespace

int largest_message(const Schedule& schedule) {
  int largest = 1;
  for (const auto& lanes : schedule.lanes) {
    for (const Lane& lane : lanes) {
      for (const Step& step : lane.steps) largest = std::max(largest, message_chunks(step));
    }
  }
  return largest;
}

Slice message_slice(const Schedule& schedule, int rank, const Lane& lane, size_t s) {
  const Step& step = lane.steps[s];
  if (step.local) return step.local;
  if (step.store) return step.store;
  // The i-th message of a FIFO is received by the i-th receive.
  long number = std::count_if(lane.steps.begin(), lane.steps.begin() + static_cast<long>(s),
                              [&](const Step& other) { return other.recv_from == step.recv_from; });
  for (const Lane& from : schedule.lanes[static_cast<size_t>(step.recv_from)]) {
    if (from.channel != lane.channel) continue;
    for (size_t k = 0; k < from.steps.size(); ++k) {
      if (from.steps[k].send_to == rank && number-- == 0)
        return message_slice(schedule, step.recv_from, from, k);
    }
  }
  throw Error(ErrorKind::kInternal, "a receive without a send: the schedule is not proved");
}

size_t slot_bytes_for(const Schedule& schedule, const Shape& shape, const SlotConfig& config) {
  return std::max(config.slot_bytes,
                  size_of(shape.dtype) * static_cast<size_t>(largest_message(schedule)));
}

Tiling tile_for(const Schedule& schedule, const Shape& shape, const SlotConfig& config) {
  const size_t element = size_of(shape.dtype);
  const auto chunks = static_cast<size_t>(schedule.chunks);
  const size_t grain = std::max<size_t>(1, kCacheLine / element);
  const size_t slot_elements = slot_bytes_for(schedule, shape, config) / element;
  // Chunks are rounded up to a grain: a slot holds `largest` chunks of whole grains.
  size_t chunk = slot_elements / static_cast<size_t>(largest_message(schedule));
  if (chunk > grain) chunk = chunk / grain * grain;
  const size_t tile = std::max<size_t>(1, chunk) * chunks;
  return Tiling(shape.count, schedule.chunks, blocked(shape.collective), tile, grain);
}

SlotConfig choose_slots(const Schedule& schedule, const Shape& shape, bool in_place,
                        const HostFactsForSlots& host) {
  SlotConfig config;
  const size_t bytes = shape.bytes();
  const int ranks_per_worker = (shape.ranks + host.workers - 1) / host.workers;
  // What the ranks of one core have in flight shares its private cache: 128 KiB a slot for one or
  // two ranks a core, less for more, never below 8 KiB.
  const size_t budget = std::max<size_t>(host.cache_bytes / 4, 1);
  size_t largest = std::bit_floor(budget / static_cast<size_t>(ranks_per_worker));
  largest = std::clamp<size_t>(largest, size_t{8} << 10, size_t{128} << 10);
  const auto chunks = static_cast<size_t>(schedule.chunks);
  const size_t whole =
      (bytes + chunks - 1) / chunks * static_cast<size_t>(largest_message(schedule));
  config.slot_bytes =
      std::clamp<size_t>(std::bit_ceil(std::max<size_t>(whole, 1)), kCacheLine, largest);
  config.slots = 4;
  config.direct_bytes = 2048;  // below, a copy into the slot is cheaper than waiting for the reader
  const size_t footprint = bytes * static_cast<size_t>(shape.ranks) * (in_place ? 1 : 2);
  config.stream = footprint > host.last_level_bytes;
  return config;
}

struct ScheduledOperation::Compiler {
  ScheduledOperation& op;
  const Schedule& schedule;
  const Facts& facts;
  const SlotConfig& config;
  const Locality& locality;
  const size_t slot_bytes;
  std::map<std::pair<int, int>, uint32_t> slice_ids;  // (first, count)
  std::map<std::tuple<int, int, int>, Fifo*> fifos;   // (from, to, channel)
  std::vector<Fifo*> with_memory;                     // their messages need slots

  uint32_t slice_id(const Slice& slice) {
    const auto [it, fresh] =
        slice_ids.try_emplace({slice.first, slice.count}, static_cast<uint32_t>(op.full_.size()));
    if (fresh) {
      const size_t last_tile = op.tiling_.tiles() - 1;
      const auto bytes_of = [&](size_t tile) {
        const Range range = op.tiling_.range(tile, slice.first, slice.count);
        return SliceBytes{range.begin * op.element_bytes_ - tile * op.tile_stride_,
                          range.size * op.element_bytes_};
      };
      op.full_.push_back(bytes_of(0));
      op.last_.push_back(bytes_of(last_tile));
    }
    return it->second;
  }

  Fifo* fifo(int from, int to, int channel) {
    Fifo*& found = fifos[{from, to, channel}];
    if (found == nullptr) {
      op.fifos_.push_back(std::make_unique<Fifo>());
      found = op.fifos_.back().get();
      found->slot_count = static_cast<uint32_t>(config.slots);
      found->sender = from;
      found->receiver = to;
      found->channel = channel;
    }
    return found;
  }

  static FifoEnd* end_of(RankState& state, std::map<Fifo*, FifoEnd*>& ends, Fifo* fifo) {
    FifoEnd*& end = ends[fifo];
    if (end == nullptr) {
      state.ends.push_back(std::make_unique<FifoEnd>());
      end = state.ends.back().get();
      end->fifo = fifo;
    }
    return end;
  }

  void lane(int rank, size_t l, RankState& state, std::map<Fifo*, FifoEnd*>& ends) {
    const auto& lanes = schedule.lanes[static_cast<size_t>(rank)];
    const Lane& from = lanes[l];
    LaneCursor& to = state.lanes[l];
    for (size_t s = 0; s < from.steps.size(); ++s) {
      const Step& step = from.steps[s];
      const StepFacts& fact = facts[static_cast<size_t>(rank)][l][s];
      CompiledStep compiled;
      if (step.local) compiled.local_slice = slice_id(step.local);
      if (step.store) compiled.store_slice = slice_id(step.store);
      compiled.local = step.local.buffer;
      compiled.store = step.store.buffer;
      compiled.completes = fact.completes;
      compiled.slice = slice_id(message_slice(schedule, rank, from, s));
      const size_t bytes = op.full_[compiled.slice].bytes;
      if (step.recv_from != kNone) {
        compiled.in = end_of(state, ends, fifo(step.recv_from, rank, from.channel));
      }
      if (step.send_to != kNone) {
        compiled.out = end_of(state, ends, fifo(rank, step.send_to, from.channel));
        compiled.direct = fact.direct && bytes >= config.direct_bytes && bytes > Slot::kInlineBytes;
        if (compiled.direct) {
          op.uses_direct_ = true;
          if (std::find(state.direct_ends.begin(), state.direct_ends.end(), compiled.out) ==
              state.direct_ends.end()) {
            state.direct_ends.push_back(compiled.out);
          }
        } else if (bytes > Slot::kInlineBytes && !needs_memory(compiled.out->fifo)) {
          with_memory.push_back(compiled.out->fifo);
        }
      } else if (config.stream && step.store && !read_again(lanes, step.store)) {
        compiled.stream = true;
        op.streams_ = true;
      }
      if (step.after != kNone) compiled.after = &state.events[static_cast<size_t>(step.after)];
      if (step.marks != kNone) compiled.marks = &state.events[static_cast<size_t>(step.marks)];
      to.steps.push_back(compiled);
    }
  }

  void rank(int r) {
    const auto& lanes = schedule.lanes[static_cast<size_t>(r)];
    auto state = std::make_unique<RankState>();
    int events = 0;
    for (const Lane& lane : lanes) {
      for (const Step& step : lane.steps)
        events = std::max({events, step.after + 1, step.marks + 1});
    }
    state->events.resize(static_cast<size_t>(events));
    state->lanes.resize(lanes.size());
    std::map<Fifo*, FifoEnd*> ends;
    for (size_t l = 0; l < lanes.size(); ++l) lane(r, l, *state, ends);
    op.ranks_[static_cast<size_t>(r)] = std::move(state);
  }

  bool uses_scratch() const {
    for (const auto& lanes : schedule.lanes) {
      for (const Lane& lane : lanes) {
        for (const Step& step : lane.steps) {
          if (step.local.buffer == Buffer::kScratch || step.store.buffer == Buffer::kScratch)
            return true;
        }
      }
    }
    return false;
  }

  bool needs_memory(const Fifo* fifo) const {
    return std::find(with_memory.begin(), with_memory.end(), fifo) != with_memory.end();
  }

  /// Lays the FIFOs out in one block: credits and slots first, payloads behind. Returns its size;
  /// with `base` null nothing is set. The order is that of creation, the same in all processes that
  /// share the block.
  size_t lay_out(const std::vector<Fifo*>& block, std::byte* base) const {
    const auto slots = static_cast<size_t>(config.slots);
    size_t at = 0;
    for (Fifo* fifo : block) {
      if (base != nullptr) {
        fifo->credit = reinterpret_cast<FifoCredit*>(base + at);
        fifo->slots = reinterpret_cast<Slot*>(base + at + sizeof(FifoCredit));
      }
      at += sizeof(FifoCredit) + slots * sizeof(Slot);
    }
    for (Fifo* fifo : block) {
      if (!needs_memory(fifo)) continue;
      if (base != nullptr) fifo->memory = base + at;
      at += slots * slot_stride();
    }
    return at;
  }

  size_t slot_stride() const { return (slot_bytes + kCacheLine - 1) / kCacheLine * kCacheLine; }

  void memory() {
    std::vector<Fifo*> near;
    for (const auto& fifo : op.fifos_) {
      fifo->slot_bytes = slot_stride();
      const bool receives = locality.drives(fifo->receiver);
      if (locality.sees(fifo->sender) && locality.sees(fifo->receiver)) {
        near.push_back(fifo.get());
      } else if (receives || locality.drives(fifo->sender)) {
        op.far_.push_back(fifo.get());
        if (receives) with_memory.push_back(fifo.get());  // where messages arrive
      }
    }
    size_t scratch_bytes = 0;  // of a rank
    if (uses_scratch()) {
      scratch_bytes = std::min(op.tiling_.tile(), op.shape_.count) * op.element_bytes_;
      scratch_bytes = (scratch_bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
    }
    const size_t fifo_bytes = lay_out(near, nullptr);
    op.near_memory_ = locality.allocate(fifo_bytes + scratch_bytes * locality.near.size());
    lay_out(near, op.near_memory_.get());
    std::byte* scratch = op.near_memory_.get() + fifo_bytes;
    for (const int rank : locality.near) {
      op.ranks_[static_cast<size_t>(rank)]->base[static_cast<size_t>(Buffer::kScratch)] = scratch;
      scratch += scratch_bytes;
    }
    op.slot_memory_bytes_ = with_memory.size() * static_cast<size_t>(config.slots) * slot_stride();
    if (op.far_.empty()) return;
    op.far_memory_ = private_memory(lay_out(op.far_, nullptr));
    lay_out(op.far_, op.far_memory_.get());
    op.lengths_.resize(op.far_.size() * static_cast<size_t>(config.slots));
    for (size_t i = 0; i < op.far_.size(); ++i) {
      op.far_[i]->lengths = op.lengths_.data() + i * static_cast<size_t>(config.slots);
    }
  }
};

ScheduledOperation::ScheduledOperation(const Schedule& schedule, const Facts& facts,
                                       ReductionOrder order, const Shape& shape,
                                       const SlotConfig& config, const Locality& locality)
    : schedule_(schedule),
      order_(std::move(order)),
      shape_(shape),
      tiling_(tile_for(schedule, shape, config)),
      element_bytes_(size_of(shape.dtype)) {
  if (schedule.ranks != shape.ranks) {
    throw Error(ErrorKind::kInternal, "the schedule was built for another number of ranks");
  }
  const Kernels chosen = kernels(shape.dtype, shape.op);
  reduce_ = chosen.reduce;
  finish_ = chosen.finish;
  tile_stride_ = tiling_.stride() * element_bytes_;
  Compiler compiler{*this,  schedule, facts,
                    config, locality, slot_bytes_for(schedule, shape, config),
                    {},     {},       {}};
  ranks_.resize(static_cast<size_t>(schedule.ranks));
  for (const int rank : locality.near) compiler.rank(rank);
  compiler.memory();
}

}  // namespace arb
