// An operation that does what another one does, and something else besides.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "bench/measure/prepared.hpp"

namespace arb {

class Tampered final : public Operation {
 public:
  /// After every operation of a rank, by the thread that drives it. `number` counts the rank's
  /// operations from 0.
  using Mischief = std::function<void(int rank, long number, const RankBuffers& buffers)>;

  /// idle: the inner operation is not run at all.
  Tampered(std::unique_ptr<Operation> inner, int ranks, Mischief mischief, bool idle = false);

  void begin(int rank, const RankBuffers& buffers) override;
  Advance advance(int rank) override;
  std::string where(int rank) const override { return inner_->where(rank); }
  int waits_for(int rank) const override { return idle_ ? kNone : inner_->waits_for(rank); }
  const Tiling& tiling() const override { return inner_->tiling(); }
  const ReductionOrder* order() const override { return inner_->order(); }

  /// Operations that `rank` has begun.
  long begun(int rank) const { return ranks_[static_cast<size_t>(rank)].begun; }

 private:
  struct alignas(64) Rank {
    RankBuffers buffers;
    long begun = 0;
  };

  std::unique_ptr<Operation> inner_;
  Mischief mischief_;
  bool idle_;
  std::vector<Rank> ranks_;
};

/// The native one-shot: it needs no slots and no proof, and its tiles are small.
Prepared one_shot(const Shape& shape, bool in_place = false);

/// one_shot() behind `mischief`; `tampered` (if given) points to it.
Prepared tampered_one_shot(const Shape& shape, bool in_place, Tampered::Mischief mischief,
                           bool idle = false, Tampered** tampered = nullptr);

}  // namespace arb
