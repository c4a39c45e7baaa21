#include "toy_runner.hpp"

#include <deque>
#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace arb {
namespace {

struct Message {
  std::vector<uint64_t> values;
  const uint64_t* direct = nullptr;  // where the sender keeps them, if it promised not to touch it
};

struct Fifo {
  std::deque<Message> queue;
};

struct Cursor {
  int rank, lane;
  int tile = 0;
  size_t step = 0;
};

class ToyRunner {
 public:
  ToyRunner(const Schedule& schedule, const ToyCase& spec, uint64_t seed, const Facts* facts)
      : schedule_(schedule), spec_(spec), facts_(facts), random_(seed) {
    const auto cells = cell(schedule.ranks, 0, 0);
    weights_.resize(cells);
    for (uint64_t& weight : weights_) weight = random_();
    input_ = weights_;
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      for (int chunk = 0; chunk < schedule.chunks; ++chunk) {
        if (has_input(spec.collective, rank, chunk, spec.root)) continue;
        for (int tile = 0; tile < spec.tiles; ++tile) input_[cell(rank, tile, chunk)] = random_();
      }
    }
    output_ = spec.in_place ? input_ : std::vector<uint64_t>(cells, 0xDEAD);
    scratch_.assign(scratch_cell(schedule.ranks, 0), 0xDEAD);
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      for (size_t lane = 0; lane < lanes(rank).size(); ++lane) {
        if (!lanes(rank)[lane].steps.empty()) cursors_.push_back({rank, static_cast<int>(lane)});
      }
    }
  }

  std::string run() {
    while (!cursors_.empty() && error_.empty()) {
      const size_t start = random_() % cursors_.size();
      size_t tried = 0;
      while (tried < cursors_.size() && !ready(cursors_[(start + tried) % cursors_.size()]))
        ++tried;
      if (tried == cursors_.size()) return "deadlock";
      const size_t chosen = (start + tried) % cursors_.size();
      if (advance(cursors_[chosen])) cursors_.erase(cursors_.begin() + static_cast<long>(chosen));
    }
    if (error_.empty()) check();
    return error_;
  }

 private:
  const std::vector<Lane>& lanes(int rank) const {
    return schedule_.lanes[static_cast<size_t>(rank)];
  }
  const Lane& lane(const Cursor& at) const { return lanes(at.rank)[static_cast<size_t>(at.lane)]; }
  size_t cell(int rank, int tile, int chunk) const {
    return scratch_cell(rank * spec_.tiles + tile, chunk);
  }
  size_t scratch_cell(int row, int chunk) const {
    return static_cast<size_t>(row) * static_cast<size_t>(schedule_.chunks) +
           static_cast<size_t>(chunk);
  }
  uint64_t* memory(const Cursor& at, const Slice& slice) {
    if (slice.buffer == Buffer::kScratch) {
      return &scratch_[scratch_cell(at.rank, slice.first)];
    }
    const bool is_input = slice.buffer == Buffer::kInput && !spec_.in_place;
    return &(is_input ? input_ : output_)[cell(at.rank, at.tile, slice.first)];
  }
  Fifo& fifo(int from, int to, int channel) { return fifos_[{from, to, channel}]; }

  bool ready(const Cursor& at) {
    const Step& step = lane(at).steps[at.step];
    const int channel = lane(at).channel;
    if (step.after != kNone && events_[{at.rank, step.after}] <= at.tile) return false;
    if (step.recv_from != kNone && fifo(step.recv_from, at.rank, channel).queue.empty()) {
      return false;
    }
    return step.send_to == kNone ||
           fifo(at.rank, step.send_to, channel).queue.size() < static_cast<size_t>(spec_.slots);
  }

  /// True: the lane has ended.
  bool advance(Cursor& at) {
    const Step& step = lane(at).steps[at.step];
    std::vector<uint64_t> value;
    if (step.recv_from != kNone) {
      auto& queue = fifo(step.recv_from, at.rank, lane(at).channel).queue;
      const Message& message = queue.front();
      value = message.values;
      for (size_t i = 0; message.direct != nullptr && i < value.size(); ++i) {
        if (message.direct[i] != value[i]) {
          error_ = "direct: overwritten before " +
                   describe(schedule_, at.rank, at.lane, static_cast<int>(at.step)) + " read it";
        }
      }
      queue.pop_front();
    }
    if (step.local) {
      value.resize(static_cast<size_t>(step.local.count));
      const uint64_t* local = memory(at, step.local);
      for (size_t i = 0; i < value.size(); ++i) value[i] += local[i];
    }
    if (step.store) std::copy(value.begin(), value.end(), memory(at, step.store));
    if (step.send_to != kNone) publish(at, step, std::move(value));
    if (step.marks != kNone) ++events_[{at.rank, step.marks}];
    if (++at.step == lane(at).steps.size()) {
      at.step = 0;
      ++at.tile;
    }
    return at.tile == spec_.tiles;
  }

  void publish(const Cursor& at, const Step& step, std::vector<uint64_t> value) {
    Message message{std::move(value), nullptr};
    if (facts_ != nullptr &&
        (*facts_)[static_cast<size_t>(at.rank)][static_cast<size_t>(at.lane)][at.step].direct) {
      message.direct = memory(at, step.store ? step.store : step.local);
    }
    fifo(at.rank, step.send_to, lane(at).channel).queue.push_back(std::move(message));
  }

  void check() {
    for (int rank = 0; rank < schedule_.ranks; ++rank) {
      for (int chunk = 0; chunk < schedule_.chunks; ++chunk) {
        for (int tile = 0; tile < spec_.tiles; ++tile) check(rank, tile, chunk);
      }
    }
  }

  void check(int rank, int tile, int chunk) {
    if (!has_output(spec_.collective, rank, chunk, spec_.root)) return;
    uint64_t wanted = 0;
    for (const int from : contributors(spec_.collective, schedule_.ranks, chunk, spec_.root)) {
      wanted += weights_[cell(from, tile, chunk)];
    }
    if (output_[cell(rank, tile, chunk)] == wanted) return;
    error_ = "wrong result at rank " + std::to_string(rank) + ", tile " + std::to_string(tile) +
             ", chunk " + std::to_string(chunk);
  }

  const Schedule& schedule_;
  ToyCase spec_;
  const Facts* facts_;
  std::mt19937_64 random_;
  std::vector<uint64_t> weights_, input_, output_, scratch_;
  std::vector<Cursor> cursors_;
  std::map<std::tuple<int, int, int>, Fifo> fifos_;
  std::map<std::pair<int, int>, int> events_;
  std::string error_;
};

}  // namespace

std::string toy_run(const Schedule& schedule, const ToyCase& spec, uint64_t seed,
                    const Facts* facts) {
  return ToyRunner(schedule, spec, seed, facts).run();
}

}  // namespace arb
