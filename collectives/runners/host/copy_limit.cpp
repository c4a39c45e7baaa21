#include "collectives/runners/host/copy_limit.hpp"

#include <algorithm>
#include <vector>

#include "collectives/runners/host/cpu.hpp"

namespace arb {
namespace {

class CopyAll final : public Operation {
 public:
  explicit CopyAll(const Shape& shape)
      : bytes_(shape.bytes()),
        tiling_(shape.count, 1, false, std::max<size_t>(shape.count, 1), 1),
        ranks_(static_cast<size_t>(shape.ranks)) {}

  void begin(int rank, const RankBuffers& buffers) override {
    ranks_[static_cast<size_t>(rank)] = {buffers, 0};
  }

  Advance advance(int rank) override {
    auto& [buffers, done] = ranks_[static_cast<size_t>(rank)];
    const size_t turn = std::min(kTurnBytes, bytes_ - done);
    stream_copy(buffers.output + done, buffers.input + done, turn,
                {buffers.input + done + kStreamBlockBytes, nullptr});
    done += turn;
    if (done < bytes_) return Advance::kMoved;
    stream_fence();
    return Advance::kDone;
  }

  std::string where(int) const override { return "copies"; }
  int waits_for(int) const override { return kNone; }
  const Tiling& tiling() const override { return tiling_; }
  const ReductionOrder* order() const override { return nullptr; }

 private:
  static constexpr size_t kTurnBytes = size_t{1} << 20;
  struct RankState {
    RankBuffers buffers;
    size_t done = 0;
  };

  size_t bytes_;
  Tiling tiling_;
  std::vector<RankState> ranks_;
};

}  // namespace

std::unique_ptr<Operation> make_copy_operation(const Shape& shape) {
  return std::make_unique<CopyAll>(shape);
}

}  // namespace arb
