// two-shot: rank r reduces stripe r of all inputs, in rank order, and writes it to all outputs.
//
//   inputs    x0 [0|1|2|3]   x1 [0|1|2|3]   x2 [0|1|2|3]   x3 [0|1|2|3]
//   rank 1 reads stripe 1 of x0 x1 x2 x3 and writes their sum to stripe 1 of y0 y1 y2 y3
//
// 2 steps (all are there; all are done); every input is read once and every output written once,
// 2NK bytes of memory traffic in all, the least any AllReduce can do. Wins from where data no
// longer fit the caches. Zero-copy, and in place safe: stripe r of every buffer is touched by rank
// r alone, inputs before outputs. Source: two-phase all-reduce of TensorRT-LLM, vLLM and MSCCL++
// (allpair, 2-phase), transferred to shared memory.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "collectives/runners/host/cpu.hpp"
#include "collectives/runners/native/fold.hpp"
#include "collectives/runners/native/registry.hpp"

namespace arb {
namespace {

constexpr size_t kBlockBytes =
    8192;  // reduced in the first-level cache, then written to all outputs
constexpr size_t kTurnBytes = 256 * 1024;  // one turn of advance(): ranks of one thread take turns

class TwoShot final : public Operation {
 public:
  TwoShot(const Shape& shape, const NativeConfig& config, const Locality& locality)
      : shape_(shape),
        fold_(shape),
        stream_(config.stream),
        order_(rank_order(shape.ranks, 1)),
        tiling_(shape.count, 1, false,
                std::max<size_t>(1, (size_t{1} << 20) / size_of(shape.dtype)), 1),
        stripes_(shape.count, shape.ranks, false, std::max<size_t>(shape.count, 1),
                 std::max<size_t>(1, kCacheLine / size_of(shape.dtype))) {
    const auto ranks = static_cast<size_t>(shape.ranks);
    memory_ = locality.allocate(ranks * sizeof(RankState));
    ranks_ = {reinterpret_cast<RankState*>(memory_.get()), ranks};
    for (const int rank : locality.driven) new (&ranks_[static_cast<size_t>(rank)]) RankState;
  }

  void begin(int rank, const RankBuffers& buffers) override {
    RankState& own = ranks_[static_cast<size_t>(rank)];
    const Range stripe = stripes_.range(0, rank);
    own.shown = buffers;
    own.next = stripe.begin * fold_.element_bytes();
    own.end = own.next + stripe.size * fold_.element_bytes();
    own.seen = 0;
    own.phase = Phase::kEnter;
  }

  Advance advance(int rank) override {
    RankState& own = ranks_[static_cast<size_t>(rank)];
    bool moved = false;
    if (own.phase == Phase::kEnter) {
      ++own.epoch;
      own.ready.store(own.epoch, std::memory_order_release);
      own.phase = Phase::kWaitReady;
      moved = true;
    }
    if (own.phase == Phase::kWaitReady) {
      // A rank without a stripe writes nothing, so it has nothing to wait for.
      if (own.next < own.end && !all_reached(own, &RankState::ready)) {
        return moved ? Advance::kMoved : Advance::kBlocked;
      }
      own.phase = Phase::kReduce;
    }
    if (own.phase == Phase::kReduce) {
      const size_t turn = std::min(own.end, own.next + kTurnBytes);
      const size_t block = stream_ ? kStreamBlockBytes : kBlockBytes;
      while (own.next < turn) reduce_block(own, std::min(block, turn - own.next));
      if (own.next < own.end) return Advance::kMoved;
      if (stream_) stream_fence();
      own.done.store(own.epoch, std::memory_order_release);
      own.seen = 0;
      own.phase = Phase::kWaitDone;
      moved = true;
    }
    if (!all_reached(own, &RankState::done)) return moved ? Advance::kMoved : Advance::kBlocked;
    own.phase = Phase::kDone;
    return Advance::kDone;
  }

  std::string where(int rank) const override {
    const RankState& own = ranks_[static_cast<size_t>(rank)];
    switch (own.phase) {
      case Phase::kIdle:
        return "has not begun";
      case Phase::kDone:
        return "done";
      case Phase::kEnter:
      case Phase::kReduce:
        return "two-shot, could go on at byte " + std::to_string(own.next);
      case Phase::kWaitReady:
      case Phase::kWaitDone:
        break;
    }
    return "two-shot, waits for rank " + std::to_string(own.seen) +
           (own.phase == Phase::kWaitReady ? " to arrive" : " to finish its stripe");
  }

  int waits_for(int rank) const override {
    const RankState& own = ranks_[static_cast<size_t>(rank)];
    const bool waiting = own.phase == Phase::kWaitReady || own.phase == Phase::kWaitDone;
    return waiting && own.seen < shape_.ranks ? own.seen : kNone;
  }

  const Tiling& tiling() const override { return tiling_; }
  const ReductionOrder* order() const override { return &order_; }

 private:
  enum class Phase : unsigned char { kIdle, kEnter, kWaitReady, kReduce, kWaitDone, kDone };

  struct alignas(kCacheLine) RankState {
    std::atomic<uint64_t> ready{0};  // epochs this rank has arrived at; `shown` is written before
    RankBuffers shown;
    alignas(kCacheLine) std::atomic<uint64_t> done{0};  // epochs whose stripe is in all outputs
    alignas(kCacheLine) uint64_t epoch = 0;
    size_t next = 0, end = 0;  // bytes of the stripe still to do
    int seen = 0;              // ranks below it have reached what we wait for
    Phase phase = Phase::kIdle;
  };

  bool all_reached(RankState& own, std::atomic<uint64_t> RankState::*counter) {
    for (; own.seen < shape_.ranks; ++own.seen) {
      const RankState& other = ranks_[static_cast<size_t>(own.seen)];
      if ((other.*counter).load(std::memory_order_acquire) < own.epoch) return false;
    }
    return true;
  }

  void reduce_block(RankState& own, size_t bytes) {
    const size_t at = own.next;
    const auto input_of = [&](int r) { return ranks_[static_cast<size_t>(r)].shown.input + at; };
    alignas(kCacheLine) std::byte block[kBlockBytes];
    fold_(block, input_of, bytes);
    for (RankState& other : ranks_) {
      if (stream_) {
        // While this output is written, the next block of the same rank's input is on its way.
        stream_copy(other.shown.output + at, block, bytes,
                    {other.shown.input + at + bytes, nullptr});
      } else {
        std::memcpy(other.shown.output + at, block, bytes);
      }
    }
    own.next += bytes;
  }

  Shape shape_;
  Fold fold_;
  bool stream_;
  ReductionOrder order_;
  Tiling tiling_;
  Tiling stripes_;
  std::shared_ptr<std::byte> memory_;
  std::span<RankState> ranks_;
};

}  // namespace

std::unique_ptr<Operation> prepare_two_shot(const Shape& shape, bool, const NativeConfig& config,
                                            const Locality& locality) {
  return std::make_unique<TwoShot>(shape, config, locality);
}

}  // namespace arb
