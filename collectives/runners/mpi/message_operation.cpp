#include "collectives/runners/mpi/message_operation.hpp"

#include <utility>

#include "collectives/runners/mpi/waiting.hpp"

namespace arb {

MessageOperation::MessageOperation(std::unique_ptr<ScheduledOperation> schedule,
                                   const Communicator& messages, int own_rank, int first_tag)
    : schedule_(std::move(schedule)),
      pump_(messages, own_rank, first_tag, schedule_->far_fifos()) {}

Advance MessageOperation::advance(int rank) {
  bool moved = pump_.progress();
  const Advance advance = schedule_->advance(rank);
  moved |= pump_.start();
  if (advance != Advance::kBlocked) return advance;
  if (kSimulated && !moved) {
    pump_.block();
    moved = true;
  }
  return moved ? Advance::kMoved : Advance::kBlocked;
}

}  // namespace arb
