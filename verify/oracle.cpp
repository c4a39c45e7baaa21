#include "verify/oracle.hpp"

#include <utility>
#include <vector>

#include "collectives/error.hpp"
#include "collectives/ops/kernels.hpp"
#include "verify/program.hpp"

namespace arb {
struct Oracle::Impl {
  const DataSpec spec;
  const ReductionOrder& order;
  const Kernels kernel;
  LeafObserver observer;
  std::vector<Instruction> program;  // of `root`; chunks often share a tree
  int root = -1;
  std::vector<std::unique_ptr<std::byte[]>> slots;

  Impl(const DataSpec& data, const ReductionOrder& reduction)
      : spec(data), order(reduction), kernel(kernels(data.dtype, data.op)) {}

  void prepare(int chunk) {
    const int wanted = order.result.at(static_cast<size_t>(chunk));
    if (wanted == root) return;
    program = compile(order, wanted);
    root = wanted;
    while (slots.size() < static_cast<size_t>(slots_of(program))) {
      slots.push_back(std::make_unique_for_overwrite<std::byte[]>(kMaxBlock * size_of(spec.dtype)));
    }
  }

  std::byte* slot(int index) const { return slots[static_cast<size_t>(index)].get(); }
};

Oracle::Oracle(const DataSpec& spec, const ReductionOrder& order)
    : impl_(std::make_unique<Impl>(spec, order)) {}

Oracle::~Oracle() = default;

void Oracle::observe(LeafObserver observer) { impl_->observer = std::move(observer); }

const void* Oracle::expected(int chunk, size_t first, size_t count) {
  if (count > kMaxBlock) throw Error(ErrorKind::kInternal, "the oracle's block is too long");
  Impl& self = *impl_;
  self.prepare(chunk);
  for (const Instruction& step : self.program) {
    if (step.rank >= 0) {
      generate(self.spec, step.rank, first, count, self.slot(step.slot));
      if (self.observer) self.observer(step.rank, self.slot(step.slot), count);
    } else {
      self.kernel.reduce(self.slot(step.slot), self.slot(step.left), self.slot(step.right), count);
    }
  }
  const int leaves = self.order.arena[static_cast<size_t>(self.root)].leaves;
  if (self.kernel.finish != nullptr && leaves == self.spec.ranks) {
    self.kernel.finish(self.slot(0), count, self.spec.ranks);
  }
  return self.slot(0);
}

ReductionOrder plain_order(Collective collective, int ranks, int chunks, int root) {
  if (reduces(collective)) return rank_order(ranks, chunks);
  ReductionOrder order;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    order.arena.push_back({.rank = contributors(collective, ranks, chunk, root).front()});
    order.result.push_back(chunk);
  }
  return order;
}

}  // namespace arb
