#include "collectives/runners/cuda/compile.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "collectives/runners/cuda/cuda_call.hpp"

namespace arb {
namespace {

constexpr size_t kAlign = 128;

struct Compiler {
  const CompileInput& input;
  const GroupMap& map;
  int gpu;
  uint64_t first_message;

  std::map<std::pair<int, int>, uint32_t> slice_ids{};  // (first, count)
  std::vector<DeviceSlice> full{}, last{};
  std::vector<DeviceStep> steps{};
  std::vector<DeviceFifoEnd> ends{};
  std::vector<DeviceBlock> blocks{};
  // What the pointers of a block will be, as indices until the memory is there.
  struct Begin {
    size_t step, end, event, scratch;
  };
  std::vector<Begin> begins{};
  size_t events = 0;  // words, over all ranks and channels

  size_t element() const { return size_of(input.shape.dtype); }
  size_t tile_stride() const { return input.tiling.stride() * element(); }

  uint32_t slice_id(const Slice& slice) {
    const auto [it, fresh] =
        slice_ids.try_emplace({slice.first, slice.count}, static_cast<uint32_t>(full.size()));
    if (fresh) {
      const auto bytes_of = [&](size_t tile) {
        const Range range = input.tiling.range(tile, slice.first, slice.count);
        return DeviceSlice{range.begin * element() - tile * tile_stride(), range.size * element()};
      };
      full.push_back(bytes_of(0));
      last.push_back(bytes_of(input.tiling.tiles() - 1));
    }
    return it->second;
  }

  /// Its number among the block's ends.
  static int16_t end_number(std::vector<std::pair<FifoPlan::Key, bool>>& known,
                            const FifoPlan::Key& fifo, bool sends) {
    const std::pair<FifoPlan::Key, bool> end{fifo, sends};
    const auto found = std::find(known.begin(), known.end(), end);
    const auto number = static_cast<int16_t>(found - known.begin());
    if (found == known.end()) known.push_back(end);
    return number;
  }

  std::byte* place(const FifoSpot& spot, bool of_receiver, size_t offset) const {
    if (spot.on_host) return input.memory.host + offset;
    const int owner = of_receiver ? spot.receiver_gpu : spot.sender_gpu;
    return input.memory.on[static_cast<size_t>(owner)] + offset;
  }

  DeviceFifoEnd fifo_end(const FifoPlan::Key& fifo, bool sends, int channel) const {
    const FifoSpot& spot = input.fifos.at(fifo, channel);
    DeviceFifoEnd end;
    if (spot.far) {
      const RingSpot& ring = spot.ring(sends);
      std::byte* const base =
          map.device_messages ? input.memory.on[static_cast<size_t>(gpu)] : input.far;
      end.slots = base + ring.slots;
      end.tail = reinterpret_cast<uint64_t*>(input.far + ring.tail);
      end.head = reinterpret_cast<uint64_t*>(input.far + ring.head);
      if (sends) end.lengths = reinterpret_cast<uint64_t*>(input.far + ring.lengths);
    } else {
      end.slots = place(spot, true, spot.slots);
      end.tail = reinterpret_cast<uint64_t*>(place(spot, true, spot.tail));
      end.head = reinterpret_cast<uint64_t*>(place(spot, false, spot.head));
    }
    end.slot_bytes = input.slot_bytes;
    end.slot_count = static_cast<uint32_t>(input.slots);
    end.peer = sends ? std::get<1>(fifo) : std::get<0>(fifo);
    return end;
  }

  void lane(int rank, int number, size_t first_event, size_t events_of_rank) {
    const Lane& from = input.schedule.lanes[static_cast<size_t>(rank)][static_cast<size_t>(number)];
    if (from.steps.empty()) return;
    const size_t first_step = steps.size();
    std::vector<std::pair<FifoPlan::Key, bool>> known;
    for (size_t s = 0; s < from.steps.size(); ++s) {
      const Step& step = from.steps[s];
      DeviceStep compiled;
      if (step.recv_from != kNone) {
        compiled.in = end_number(known, {step.recv_from, rank, from.channel}, false);
      }
      if (step.send_to != kNone) {
        compiled.out = end_number(known, {rank, step.send_to, from.channel}, true);
      }
      compiled.after = static_cast<int16_t>(step.after);
      compiled.marks = static_cast<int16_t>(step.marks);
      compiled.local = step.local.buffer;
      compiled.store = step.store.buffer;
      compiled.completes =
          input.facts[static_cast<size_t>(rank)][static_cast<size_t>(number)][s].completes;
      if (step.local) compiled.local_slice = slice_id(step.local);
      if (step.store) compiled.store_slice = slice_id(step.store);
      compiled.slice = slice_id(message_slice(input.schedule, rank, from, s));
      steps.push_back(compiled);
    }
    for (int channel = 0; channel < input.channels; ++channel) {
      DeviceBlock block;
      block.rank = rank;
      block.local_rank = map.local_rank(rank);
      block.lane = number;
      block.channel = channel;
      block.step_count = static_cast<int32_t>(from.steps.size());
      const auto channels = static_cast<size_t>(input.channels);
      const auto c = static_cast<size_t>(channel);
      begins.push_back({first_step, ends.size(), first_event + c * events_of_rank,
                        static_cast<size_t>(block.local_rank) * channels + c});
      blocks.push_back(block);
      for (const auto& [fifo, sends] : known) ends.push_back(fifo_end(fifo, sends, channel));
    }
  }

  void rank(int r) {
    const auto& lanes = input.schedule.lanes[static_cast<size_t>(r)];
    int count = 0;
    for (const Lane& each : lanes) {
      for (const Step& step : each.steps) count = std::max({count, step.after + 1, step.marks + 1});
    }
    const auto of_rank = static_cast<size_t>(count);
    for (size_t l = 0; l < lanes.size(); ++l) lane(r, static_cast<int>(l), events, of_rank);
    events += of_rank * static_cast<size_t>(input.channels);
  }

  /// Of a rank and channel.
  size_t scratch_bytes() const {
    for (const DeviceStep& step : steps) {
      if (step.local != Buffer::kScratch && step.store != Buffer::kScratch) continue;
      const Tiling& tiling = input.tiling;
      const size_t elements =
          tiling.blocked() ? tiling.count() : std::min(tiling.tile(), tiling.count());
      return (elements * element() + kAlign - 1) / kAlign * kAlign;
    }
    return 0;
  }

  template <class T>
  static size_t room_for(Room& room, const std::vector<T>& table) {
    return room.take(table.size() * sizeof(T), kAlign);
  }

  template <class T>
  static void put(std::vector<std::byte>& image, size_t at, const std::vector<T>& table) {
    if (!table.empty()) std::memcpy(image.data() + at, table.data(), table.size() * sizeof(T));
  }

  GpuProgram finish(int device) {
    Room room;
    const size_t full_at = room_for(room, full);
    const size_t last_at = room_for(room, last);
    const size_t steps_at = room_for(room, steps);
    const size_t ends_at = room_for(room, ends);
    const size_t blocks_at = room_for(room, blocks);
    // Words that kernels write: of an end, of an event, of a block.
    const std::vector<uint64_t> words(ends.size() + events + blocks.size(), first_message);
    const size_t words_at = room_for(room, words);
    const size_t image_bytes = room.bytes();
    const size_t scratch = scratch_bytes();
    const auto ranks = static_cast<size_t>(map.ranks_on(gpu));
    const size_t scratch_at =
        room.take(scratch * ranks * static_cast<size_t>(input.channels), kAlign);

    GpuProgram program;
    program.memory = owned_device_memory(device, std::max<size_t>(room.bytes(), 1),
                                         "the tables of an operation");
    std::byte* const base = program.memory.get();
    auto* const first_word = reinterpret_cast<uint64_t*>(base + words_at);
    for (size_t i = 0; i < ends.size(); ++i) ends[i].count = first_word + i;
    for (size_t i = 0; i < blocks.size(); ++i) {
      const Begin& begin = begins[i];
      blocks[i].steps = reinterpret_cast<const DeviceStep*>(base + steps_at) + begin.step;
      blocks[i].ends = reinterpret_cast<DeviceFifoEnd*>(base + ends_at) + begin.end;
      blocks[i].events = first_word + ends.size() + begin.event;
      blocks[i].tiles_done = first_word + ends.size() + events + i;
      blocks[i].scratch = base + scratch_at + begin.scratch * scratch;
    }
    std::vector<std::byte> image(image_bytes);
    put(image, full_at, full);
    put(image, last_at, last);
    put(image, steps_at, steps);
    put(image, ends_at, ends);
    put(image, blocks_at, blocks);
    put(image, words_at, words);
    if (!image.empty()) {
      upload(base, image.data(), image.size(), "write the tables of an operation");
    }
    program.args.blocks = reinterpret_cast<const DeviceBlock*>(base + blocks_at);
    program.args.full = reinterpret_cast<const DeviceSlice*>(base + full_at);
    program.args.last = reinterpret_cast<const DeviceSlice*>(base + last_at);
    program.args.tiles = input.tiling.tiles();
    program.args.tile_stride = tile_stride();
    program.args.channels = input.channels;
    program.args.ranks = input.shape.ranks;
    program.args.dtype = input.shape.dtype;
    program.args.op = input.shape.op;
    return program;
  }
};

}  // namespace

unsigned busy_lanes(const Schedule& schedule, int rank) {
  const auto& lanes = schedule.lanes[static_cast<size_t>(rank)];
  return static_cast<unsigned>(std::count_if(lanes.begin(), lanes.end(),
                                             [](const Lane& lane) { return !lane.steps.empty(); }));
}

GpuProgram compile_for_gpu(const CompileInput& input, const GpuWorld& world, int gpu) {
  Compiler compiler{input, world.map, gpu, world.tuning.first_message};
  const int first = world.map.first_rank(gpu);
  for (int r = 0; r < world.map.ranks_on(gpu); ++r) compiler.rank(first + r);
  return compiler.finish(world.map.at(gpu).device);
}

}  // namespace arb
