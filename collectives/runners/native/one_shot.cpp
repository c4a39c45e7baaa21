// one-shot: every rank publishes its input, reads all inputs and reduces them itself, in rank
// order.
//
//   rank 0   x0 ──┐        every rank reads x0 x1 x2 x3
//   rank 1   x1 ──┼──────> and writes x0+x1+x2+x3 to its own output
//   rank 2   x2 ──┤
//   rank 3   x3 ──┘
//
// 1 step; every rank reads (N-1)K. Wins where a message costs less than a second step: small sizes.
//
// Small messages and in-place ones go through a double-buffered stage, block by block: the block of
// epoch e is overwritten at epoch e+2, and a rank that begins e+2 has seen everybody's e+1, which
// everybody published after reading all of e. So no exit barrier is needed. Larger out-of-place
// messages are read where they are, and the rank waits until everybody has read its input. Source:
// the one-shot kernels of TensorRT-LLM and MSCCL++ (allpair), transferred to shared memory.
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

constexpr size_t kZeroCopyBytes = 8192;  // above, copying the input costs more than an exit barrier
constexpr size_t kStageBytes =
    32768;  // block of an in-place message; a stage of two stays in the cache

/// A stage begins with its flag, so that a small block travels in one cache line.
struct alignas(kCacheLine) StageHeader {
  static constexpr size_t kInlineBytes = kCacheLine - 8;
  std::atomic<uint64_t> epoch{0};
  std::byte data[kInlineBytes];
};

class OneShot final : public Operation {
 public:
  OneShot(const Shape& shape, bool in_place, const NativeConfig& config, const Locality& locality)
      : shape_(shape),
        fold_(shape),
        order_(rank_order(shape.ranks, 1)),
        tiling_(shape.count, 1, false, std::max<size_t>(1, kStageBytes / size_of(shape.dtype)), 1),
        zero_copy_(!in_place && shape.bytes() > kZeroCopyBytes),
        stream_(config.stream) {
    const size_t block = std::min(shape.bytes(), kStageBytes);
    inline_ = block <= StageHeader::kInlineBytes;
    stride_ = inline_ || zero_copy_ ? 0 : (block + kCacheLine - 1) / kCacheLine * kCacheLine;
    const auto ranks = static_cast<size_t>(shape.ranks);
    memory_ = locality.allocate(ranks * (sizeof(RankState) + 2 * stride_));
    ranks_ = {reinterpret_cast<RankState*>(memory_.get()), ranks};
    stages_ = memory_.get() + ranks * sizeof(RankState);
    for (const int rank : locality.driven) new (&ranks_[static_cast<size_t>(rank)]) RankState;
  }

  void begin(int rank, const RankBuffers& buffers) override {
    RankState& own = ranks_[static_cast<size_t>(rank)];
    own.buffers = buffers;
    own.offset = 0;
    own.next_reader = 0;
    own.published = false;
    own.reduced = false;
    own.begun = true;
    own.done = false;
  }

  Advance advance(int rank) override {
    return zero_copy_ ? advance_zero_copy(rank) : advance_staged(rank);
  }

  std::string where(int rank) const override {
    const RankState& own = ranks_[static_cast<size_t>(rank)];
    if (!own.begun) return "has not begun";
    if (own.done) return "done";
    const int other = waits_for(rank);
    if (other == kNone) return "one-shot, could go on at byte " + std::to_string(own.offset);
    return "one-shot, byte " + std::to_string(own.offset) + " of " +
           std::to_string(shape_.bytes()) + ", waits for rank " + std::to_string(other) +
           (own.reduced ? " to read its input" : " to publish its input");
  }

  int waits_for(int rank) const override {
    const RankState& own = ranks_[static_cast<size_t>(rank)];
    const bool waiting = own.begun && !own.done && own.published && own.next_reader < shape_.ranks;
    return waiting ? own.next_reader : kNone;
  }

  const Tiling& tiling() const override { return tiling_; }
  const ReductionOrder* order() const override { return &order_; }

 private:
  struct alignas(kCacheLine) RankState {
    StageHeader header[2];  // by parity of the epoch
    alignas(kCacheLine) std::atomic<uint64_t> read{
        0};  // zero-copy: epochs whose inputs this rank has read
    alignas(kCacheLine) RankBuffers buffers;
    RankBuffers shown;   // zero-copy: what the others read, written before the flag
    uint64_t epoch = 1;  // of the block in work
    size_t offset = 0;
    int next_reader = 0;  // ranks below it have been seen in this phase
    bool published = false;
    bool reduced = false;
    bool begun = false;
    bool done = false;
  };

  std::byte* stage(int rank, uint64_t epoch) {
    if (inline_) return ranks_[static_cast<size_t>(rank)].header[epoch & 1].data;
    return stages_ + (2 * static_cast<size_t>(rank) + (epoch & 1)) * stride_;
  }

  bool all_published(RankState& own) {
    for (; own.next_reader < shape_.ranks; ++own.next_reader) {
      const RankState& other = ranks_[static_cast<size_t>(own.next_reader)];
      if (other.header[own.epoch & 1].epoch.load(std::memory_order_acquire) < own.epoch)
        return false;
    }
    return true;
  }

  Advance advance_staged(int rank) {
    RankState& own = ranks_[static_cast<size_t>(rank)];
    bool moved = false;
    for (;;) {
      const size_t bytes = std::min(kStageBytes, shape_.bytes() - own.offset);
      if (!own.published) {
        if (bytes != 0) std::memcpy(stage(rank, own.epoch), own.buffers.input + own.offset, bytes);
        own.header[own.epoch & 1].epoch.store(own.epoch, std::memory_order_release);
        own.published = true;
        own.next_reader = 0;
        moved = true;
      }
      if (!all_published(own)) return moved ? Advance::kMoved : Advance::kBlocked;
      fold_(
          own.buffers.output + own.offset, [&](int r) { return stage(r, own.epoch); }, bytes);
      own.published = false;
      ++own.epoch;
      own.offset += bytes;
      if (own.offset == shape_.bytes()) {
        own.done = true;
        return Advance::kDone;
      }
    }
  }

  void reduce_everything(const RankState& own) {
    const size_t block_bytes = stream_ ? kStreamBlockBytes : kStageBytes;
    for (size_t done = 0; done < shape_.bytes(); done += block_bytes) {
      const size_t bytes = std::min(block_bytes, shape_.bytes() - done);
      const auto input_of = [&](int r) {
        return ranks_[static_cast<size_t>(r)].shown.input + done;
      };
      if (!stream_) {
        fold_(own.buffers.output + done, input_of, bytes);
        continue;
      }
      alignas(kCacheLine) std::byte block[kStreamBlockBytes];
      fold_(block, input_of, bytes);
      const std::byte* next = input_of(shape_.ranks - 1) + bytes;
      stream_copy(own.buffers.output + done, block, bytes, {input_of(0) + bytes, next});
    }
    if (stream_) stream_fence();
  }

  Advance advance_zero_copy(int rank) {
    RankState& own = ranks_[static_cast<size_t>(rank)];
    bool moved = false;
    if (!own.published) {
      own.shown = own.buffers;
      own.header[own.epoch & 1].epoch.store(own.epoch, std::memory_order_release);
      own.published = true;
      own.next_reader = 0;
      moved = true;
    }
    if (!own.reduced) {
      if (!all_published(own)) return moved ? Advance::kMoved : Advance::kBlocked;
      reduce_everything(own);
      own.offset = shape_.bytes();
      own.read.store(own.epoch, std::memory_order_release);
      own.reduced = true;
      own.next_reader = 0;
      moved = true;
    }
    for (; own.next_reader < shape_.ranks; ++own.next_reader) {
      const RankState& other = ranks_[static_cast<size_t>(own.next_reader)];
      if (other.read.load(std::memory_order_acquire) < own.epoch) {
        return moved ? Advance::kMoved : Advance::kBlocked;
      }
    }
    ++own.epoch;
    own.done = true;
    return Advance::kDone;
  }

  Shape shape_;
  Fold fold_;
  ReductionOrder order_;
  Tiling tiling_;
  bool zero_copy_;
  bool stream_;
  bool inline_ = false;
  size_t stride_ = 0;
  std::shared_ptr<std::byte> memory_;
  std::span<RankState> ranks_;
  std::byte* stages_ = nullptr;
};

}  // namespace

std::unique_ptr<Operation> prepare_one_shot(const Shape& shape, bool in_place,
                                            const NativeConfig& config, const Locality& locality) {
  return std::make_unique<OneShot>(shape, in_place, config, locality);
}

}  // namespace arb
