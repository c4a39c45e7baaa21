// A schedule some of whose FIFOs lead to other nodes: cursors and pump take turns.
#pragma once

#include <memory>

#include "collectives/runners/host/scheduled.hpp"
#include "collectives/runners/mpi/pump.hpp"

namespace arb {

class MessageOperation final : public Operation {
 public:
  /// `messages` outlives the operation.
  MessageOperation(std::unique_ptr<ScheduledOperation> schedule, const Communicator& messages,
                   int own_rank, int first_tag);

  void begin(int rank, const RankBuffers& buffers) override { schedule_->begin(rank, buffers); }
  Advance advance(int rank) override;
  std::string where(int rank) const override { return schedule_->where(rank); }
  int waits_for(int rank) const override { return schedule_->waits_for(rank); }
  const Tiling& tiling() const override { return schedule_->tiling(); }
  const ReductionOrder* order() const override { return schedule_->order(); }

 private:
  std::unique_ptr<ScheduledOperation> schedule_;
  MessagePump pump_;
};

}  // namespace arb
