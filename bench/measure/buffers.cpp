#include "bench/measure/buffers.hpp"

#include <algorithm>

#include "collectives/runners/host/cpu.hpp"
#include "verify/check.hpp"

namespace arb {
namespace {

Range real_part(const Shape& shape, int rank, bool of_input) {
  if (!blocked(shape.collective)) {
    const bool all = of_input ? has_input(shape.collective, rank, 0, shape.root)
                              : has_output(shape.collective, rank, 0, shape.root);
    return {0, all ? shape.count : 0};
  }
  const bool own_only = of_input == (shape.collective == Collective::kAllGather);
  if (!own_only) return {0, shape.count};
  const size_t block = shape.count / static_cast<size_t>(shape.ranks);
  return {static_cast<size_t>(rank) * block, block};
}

size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

constexpr size_t kPage = 4096;
constexpr size_t kMaxSets = 16384;  // of cold buffers: small messages lie a page apart

}  // namespace

Range real_input(const Shape& shape, int rank) { return real_part(shape, rank, true); }
Range real_output(const Shape& shape, int rank) { return real_part(shape, rank, false); }

CaseBuffers::CaseBuffers(const Shape& shape, const BufferLayout& layout, const Locality& locality,
                         const BufferTools& tools)
    : tools_(tools), shape_(shape), in_place_(layout.in_place), element_(size_of(shape.dtype)) {
  const size_t off = static_cast<size_t>(layout.unalign) * element_;
  // One buffer: a guard, the message, a guard; the message begins on a cache line (plus `off`).
  const size_t stride =
      round_up(shape.bytes() + off + 2 * kGuardBytes + kCacheLine, kPage) + kCacheLine;
  const size_t buffers = in_place_ ? 1 : 2;
  const auto ranks = static_cast<size_t>(shape.ranks);
  size_t sets = 1;
  if (layout.cold_bytes > 0) {
    const size_t one = std::max<size_t>(shape.bytes() * buffers * ranks, 1);
    sets = std::clamp<size_t>(layout.cold_bytes / one + 2, 2, kMaxSets);
  }
  sets_.assign(sets, std::vector<RankBuffers>(ranks));
  for (const int rank : locality.near) {
    const auto r = static_cast<size_t>(rank);
    memory_.push_back(locality.memory_of(rank, stride * buffers * sets));
    for (size_t s = 0; s < sets; ++s) {
      std::byte* at = memory_.back().get() + s * buffers * stride + kGuardBytes + off;
      sets_[s][r] = {at, in_place_ ? at : at + stride};
    }
  }
}

template <typename Visit>
void CaseBuffers::each_guard(size_t index, int rank, const Visit& visit) const {
  const RankBuffers& at = sets_[index % sets_.size()][static_cast<size_t>(rank)];
  const auto around = [&](std::byte* base, const Range& real, bool of_output) {
    if (real.size == 0) return;
    const unsigned salt = static_cast<unsigned>(rank) * 4 + (of_output ? 2 : 0);
    visit(base + real.begin * element_ - kGuardBytes, salt, of_output, true);
    visit(base + (real.begin + real.size) * element_, salt + 1, of_output, false);
  };
  const Range in = real_input(shape_, rank);
  const Range out = real_output(shape_, rank);
  if (!in_place_) {
    around(at.input, in, false);
    around(at.output, out, true);
  } else {  // one buffer: guards around whichever part is larger
    around(at.output, in.size > out.size ? in : out, true);
  }
}

void CaseBuffers::set_guards(size_t index, int rank) const {
  each_guard(index, rank, [&](std::byte* guard, unsigned salt, bool, bool) {
    tools_.set_guard(rank, guard, kGuardBytes, salt);
  });
}

CaseBuffers::GuardFinding CaseBuffers::check_guards(size_t index, int rank) const {
  GuardFinding finding;
  each_guard(index, rank, [&](std::byte* guard, unsigned salt, bool of_output, bool before) {
    if (finding.changed) return;
    const long offset = tools_.changed_guard(rank, guard, kGuardBytes, salt);
    if (offset >= 0) finding = {true, of_output, before, offset};
  });
  return finding;
}

}  // namespace arb
