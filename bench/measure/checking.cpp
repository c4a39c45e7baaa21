#include "bench/measure/checking.hpp"

#include "bench/measure/agreement.hpp"

namespace arb {

CheckedRun::CheckedRun(const CheckRequest& request, const Prepared& prepared,
                       const CaseBuffers& buffers, size_t set, Crew& crew)
    : request_(request),
      buffers_(buffers),
      set_(set),
      crew_(crew),
      verdicts_(static_cast<size_t>(crew.workers())),
      prepare_([this](int worker) { this->prepare(worker); }),
      inspect_([this](int worker) { inspect(worker); }) {
  const Shape& shape = request.shape;
  spec_.collective = shape.collective;
  spec_.root = shape.root;
  spec_.in_place = request.in_place;
  spec_.tiling = &prepared.operation->tiling();
  spec_.order = prepared.operation->order();
  spec_.data = {request.kind, shape.dtype, shape.op, shape.ranks, request.seed};
  const RankBuffers* ranks = buffers.set(set);
  views_.reserve(static_cast<size_t>(shape.ranks));
  for (int r = 0; r < shape.ranks; ++r) views_.push_back({ranks[r].input, ranks[r].output});
}

void CheckedRun::prepare(int worker) {
  const Shape& shape = request_.shape;
  const size_t element = size_of(shape.dtype);
  const BufferTools& tools = buffers_.tools();
  const auto [first, last] = crew_.ranks_of(worker, shape.ranks);
  for (int rank = first; rank < last; ++rank) {
    const RankBuffers& at = buffers_.set(set_)[rank];
    const Range in = real_input(shape, rank);
    const Range out = real_output(shape, rank);
    buffers_.set_guards(set_, rank);
    tools.poison(rank, at.output + out.begin * element,
                 out.size * element);  // in place: overwritten by the input next
    if (request_.fill_inputs || request_.in_place) {
      tools.generate(spec_.data, rank, in.begin, in.size, at.input + in.begin * element);
    }
  }
}

/// A fault of one rank is applied where that rank's memory is.
bool CheckedRun::concerns_us() const {
  const FaultKind kind = request_.fault.kind;
  if (kind == FaultKind::kSwapChunks || kind == FaultKind::kDoubleRank ||
      kind == FaultKind::kStale) {
    return true;
  }
  const auto rank = static_cast<size_t>(request_.fault.rank);
  return rank >= views_.size() || views_[rank].output != nullptr;
}

std::exception_ptr CheckedRun::inject() const {
  if (!concerns_us()) return nullptr;
  std::vector<MutableRank> ranks;
  ranks.reserve(views_.size());
  for (int r = 0; r < request_.shape.ranks; ++r) {
    ranks.push_back({buffers_.set(set_)[r].input, buffers_.set(set_)[r].output});
  }
  try {
    buffers_.tools().apply(request_.fault, spec_, ranks);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

void CheckedRun::inspect(int worker) {
  if (request_.fault.kind != FaultKind::kNothing) {
    std::exception_ptr refused;
    if (worker == 0) refused = inject();
    const bool go_on = crew_.meet();  // also if it was refused: the others wait for us
    if (refused) std::rethrow_exception(refused);
    if (!go_on) return;
  }
  Verdict& verdict = verdicts_[static_cast<size_t>(worker)];
  verdict.merge(buffers_.tools().check(spec_, views_, static_cast<size_t>(worker),
                                       static_cast<size_t>(crew_.workers())));
  const auto [first, last] = crew_.ranks_of(worker, request_.shape.ranks);
  for (int rank = first; rank < last; ++rank) check_guards(rank, verdict);
}

void CheckedRun::check_guards(int rank, Verdict& verdict) const {
  const CaseBuffers::GuardFinding found = buffers_.check_guards(set_, rank);
  if (!found.changed) return;
  Verdict guard;
  guard.wrong = 1;
  guard.check = "guard";
  guard.rank = rank;
  guard.index = found.before ? found.offset - static_cast<long>(kGuardBytes) : found.offset;
  guard.wanted = std::string("untouched bytes ") + (found.before ? "before" : "behind") + " the " +
                 (found.of_output ? "output" : "input");
  guard.got = "a write";
  verdict.merge(guard);
}

Verdict CheckedRun::verdict() {
  Verdict own;
  for (const Verdict& part : verdicts_) own.merge(part);
  return agree(crew_, own, spec_, views_, buffers_.tools());
}

}  // namespace arb
