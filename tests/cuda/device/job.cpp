#include "job.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <tuple>

#include "collectives/algorithms/registry.hpp"
#include "collectives/runners/cuda/device/interpret.hpp"
#include "data.hpp"
#include "grid.hpp"
#include "verify/prove.hpp"

namespace arb {
namespace {

Schedule build(const std::string& algorithm, const Shape& shape) {
  const Algorithm* found = find_algorithm(shape.collective, algorithm);
  if (found == nullptr) throw std::runtime_error("no algorithm " + algorithm);
  return found->build(shape.ranks, shape.root);
}

SlotConfig slot_config(const JobConfig& config) {
  SlotConfig slots;
  slots.slots = config.slots;
  slots.slot_bytes = config.slot_bytes;
  return slots;
}

}  // namespace

Job::Job(const std::string& algorithm, const Shape& shape, const JobConfig& config)
    : Job(build(algorithm, shape), shape, config) {}

Job::Job(const Schedule& schedule, const Shape& shape, const JobConfig& config)
    : schedule_(schedule),
      shape_(shape),
      config_(config),
      slots_(slot_config(config)),
      tiling_(tile_for(schedule, shape, slots_)) {
  Proof proof = prove(schedule, shape.collective, shape.root, config.slots, config.in_place);
  if (!proof.ok()) throw std::runtime_error(proof.findings.front().message);
  facts_ = proof.facts;
  order_ = proof.order;
  compile(facts_);
  memory_.resize(static_cast<size_t>(shape.ranks));
  for (auto& memory : memory_) {
    const size_t off = config.unalign * size_of(shape.dtype);
    const size_t region = (shape.bytes() + off + 15) / 16 * 16;
    memory.resize(2 * region / 8 + 2);
    auto* base = reinterpret_cast<std::byte*>(memory.data()) + off;
    buffers_.push_back({base, config.in_place ? base : base + region});
  }
}

void Job::compile(const Facts& facts) {
  const size_t element = size_of(shape_.dtype);
  const size_t stride = tiling_.tile() * element;
  std::map<std::pair<int, int>, uint32_t> ids;
  const auto slice_id = [&](const Slice& slice) {
    const auto [it, fresh] =
        ids.try_emplace({slice.first, slice.count}, static_cast<uint32_t>(full_.size()));
    if (fresh) {
      const auto bytes_of = [&](size_t tile) {
        const Range range = tiling_.range(tile, slice.first, slice.count);
        return DeviceSlice{range.begin * element - tile * stride, range.size * element};
      };
      full_.push_back(bytes_of(0));
      last_.push_back(bytes_of(tiling_.tiles() - 1));
    }
    return it->second;
  };
  const size_t message = (slot_bytes_for(schedule_, shape_, slots_) + 15) / 16 * 16;
  const size_t slot_bytes = config_.protocol == Protocol::kLl ? 2 * message : message;
  std::map<std::tuple<int, int, int, int>, FifoMemory*>
      fifos;  // from, to, channel of lane, channel
  const auto word = [&] {
    words_.push_back(std::make_unique<uint64_t>(config_.first_message));
    return words_.back().get();
  };
  for (int rank = 0; rank < schedule_.ranks; ++rank) {
    const auto& lanes = schedule_.lanes[static_cast<size_t>(rank)];
    int events = 1;
    for (const Lane& lane : lanes) {
      for (const Step& step : lane.steps)
        events = std::max({events, step.after + 1, step.marks + 1});
    }
    for (int channel = 0; channel < config_.channels; ++channel) {
      events_.push_back(std::make_unique<std::vector<uint64_t>>(static_cast<size_t>(events),
                                                                config_.first_message));
      scratch_.emplace_back((std::min(tiling_.tile(), tiling_.count()) * element + 15) / 8 + 2);
      for (size_t l = 0; l < lanes.size(); ++l) {
        steps_.push_back(std::make_unique<std::vector<DeviceStep>>());
        ends_.push_back(std::make_unique<std::vector<DeviceFifoEnd>>());
        std::map<std::pair<FifoMemory*, bool>, int16_t> numbers;
        const auto end_of = [&](int from, int to, bool sends) {
          FifoMemory*& fifo = fifos[{from, to, lanes[l].channel, channel}];
          if (fifo == nullptr) {
            fifos_.push_back(std::make_unique<FifoMemory>());
            fifo = fifos_.back().get();
            fifo->slots.resize(slot_bytes / 16 * static_cast<size_t>(config_.slots));
            fifo->tail = fifo->head = config_.first_message;
          }
          const auto [it, fresh] =
              numbers.try_emplace({fifo, sends}, static_cast<int16_t>(ends_.back()->size()));
          if (fresh) {
            ends_.back()->push_back({reinterpret_cast<std::byte*>(fifo->slots.data()), &fifo->tail,
                                     &fifo->head, word(), slot_bytes,
                                     static_cast<uint32_t>(config_.slots), sends ? to : from});
          }
          return it->second;
        };
        for (size_t s = 0; s < lanes[l].steps.size(); ++s) {
          const Step& step = lanes[l].steps[s];
          DeviceStep to;
          if (step.recv_from != kNone) to.in = end_of(step.recv_from, rank, false);
          if (step.send_to != kNone) to.out = end_of(rank, step.send_to, true);
          to.after = static_cast<int16_t>(step.after);
          to.marks = static_cast<int16_t>(step.marks);
          to.local = step.local.buffer;
          to.store = step.store.buffer;
          to.completes = facts[static_cast<size_t>(rank)][l][s].completes;
          if (step.local) to.local_slice = slice_id(step.local);
          if (step.store) to.store_slice = slice_id(step.store);
          to.slice = slice_id(message_slice(schedule_, rank, lanes[l], s));
          steps_.back()->push_back(to);
        }
        DeviceBlock block;
        block.rank = block.local_rank = rank;
        block.lane = static_cast<int32_t>(l);
        block.channel = channel;
        block.steps = steps_.back()->data();
        block.step_count = static_cast<int32_t>(steps_.back()->size());
        block.ends = ends_.back()->data();
        block.events = events_.back()->data();
        block.tiles_done = word();
        block.scratch = reinterpret_cast<std::byte*>(scratch_.back().data());
        blocks_.push_back(block);
      }
    }
  }
  reports_.resize(blocks_.size());
}

void Job::run(const DeviceControl& control) {
  ScheduleArgs args;
  args.blocks = blocks_.data();
  args.full = full_.data();
  args.last = last_.data();
  args.tiles = tiling_.tiles();
  args.tile_stride = tiling_.tile() * size_of(shape_.dtype);
  args.channels = config_.channels;
  args.ranks = shape_.ranks;
  args.dtype = shape_.dtype;
  args.op = shape_.op;
  args.control = control;
  args.control.reports = reports_.data();
  for (size_t r = 0; r < buffers_.size(); ++r) args.buffers[r] = buffers_[r];
  const bool lines = config_.protocol == Protocol::kLl;
  run_grid(static_cast<uint32_t>(blocks_.size()), config_.threads, [&](const Thread& thread) {
    if (lines) {
      run_schedule<Protocol::kLl>(thread, args);
    } else {
      run_schedule<Protocol::kSimple>(thread, args);
    }
  });
}

std::string Job::run_checked(uint64_t seed) {
  const size_t bytes = shape_.bytes();
  std::vector<std::vector<std::byte>> wanted(buffers_.size());
  std::vector<std::vector<std::byte>> inputs(buffers_.size());
  std::vector<int> ranks;
  for (int r = 0; r < shape_.ranks; ++r) {
    const auto i = static_cast<size_t>(r);
    fill_data(buffers_[i].input, shape_, seed, r);
    inputs[i].assign(buffers_[i].input, buffers_[i].input + bytes);
    wanted[i].resize(bytes);
    if (!config_.in_place) std::memset(buffers_[i].output, 0x5a, bytes);
    ranks.push_back(r);
  }
  ScheduledOperation host(schedule_, facts_, order_, shape_, slots_, host_locality(shape_.ranks));
  for (const int r : ranks) {
    const auto i = static_cast<size_t>(r);
    if (config_.in_place) {
      std::memcpy(wanted[i].data(), inputs[i].data(), bytes);
      host.begin(r, {wanted[i].data(), wanted[i].data()});
    } else {
      host.begin(r, {inputs[i].data(), wanted[i].data()});
    }
  }
  for (bool open = true; open;) {
    open = false;
    for (const int r : ranks) open |= host.advance(r) != Advance::kDone;
  }
  run();
  for (const int r : ranks) {
    const auto i = static_cast<size_t>(r);
    for (size_t at = 0; at < bytes; ++at) {
      if (buffers_[i].output[at] != wanted[i][at]) {
        return "rank " + std::to_string(r) + " differs at byte " + std::to_string(at);
      }
    }
    if (!config_.in_place && bytes != 0 &&
        std::memcmp(inputs[i].data(), buffers_[i].input, bytes) != 0) {
      return "the input of rank " + std::to_string(r) + " has changed";
    }
  }
  return {};
}

}  // namespace arb
