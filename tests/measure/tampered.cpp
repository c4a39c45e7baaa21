#include "tests/measure/tampered.hpp"

#include <utility>

#include "collectives/runners/native/registry.hpp"

namespace arb {

Tampered::Tampered(std::unique_ptr<Operation> inner, int ranks, Mischief mischief, bool idle)
    : inner_(std::move(inner)),
      mischief_(std::move(mischief)),
      idle_(idle),
      ranks_(static_cast<size_t>(ranks)) {}

void Tampered::begin(int rank, const RankBuffers& buffers) {
  Rank& own = ranks_[static_cast<size_t>(rank)];
  own.buffers = buffers;
  ++own.begun;
  if (!idle_) inner_->begin(rank, buffers);
}

Advance Tampered::advance(int rank) {
  const Advance advance = idle_ ? Advance::kDone : inner_->advance(rank);
  const Rank& own = ranks_[static_cast<size_t>(rank)];
  if (advance == Advance::kDone && mischief_) mischief_(rank, own.begun - 1, own.buffers);
  return advance;
}

Prepared one_shot(const Shape& shape, bool in_place) {
  Prepared prepared;
  prepared.algorithm = "one-shot";
  prepared.kind = "native";
  prepared.operation = prepare_one_shot(shape, in_place, {}, host_locality(shape.ranks));
  return prepared;
}

Prepared tampered_one_shot(const Shape& shape, bool in_place, Tampered::Mischief mischief,
                           bool idle, Tampered** tampered) {
  Prepared prepared = one_shot(shape, in_place);
  auto operation = std::make_unique<Tampered>(std::move(prepared.operation), shape.ranks,
                                              std::move(mischief), idle);
  if (tampered != nullptr) *tampered = operation.get();
  prepared.operation = std::move(operation);
  return prepared;
}

}  // namespace arb
