#include "verify/data.hpp"

#include <type_traits>

#include "collectives/ops/operators.hpp"
#include "collectives/ops/visit.hpp"
#include "verify/patterns.hpp"

namespace arb {
namespace {

template <class T, class Pattern>
void fill(const DataSpec& spec, const Pattern& pattern, int rank, size_t first, size_t count,
          void* out) {
  const uint64_t shared = mix64(spec.seed);
  const uint64_t own = mix64(shared + 1 + static_cast<uint64_t>(rank));
  for_segments(first, count, [&](size_t segment, uint32_t offset, size_t position, uint32_t piece) {
    const Draws draws{{own, segment}, {~own, segment}, {shared, segment}};
    const Pattern local = pattern;  // locals, so that the stores below cannot alias them
    T* const to = static_cast<T*>(out) + position;
    for (uint32_t i = 0; i < piece; ++i) to[i] = local.template make<T>(draws, offset + i);
  });
}

template <class T>
void generate_float(const DataSpec& spec, int rank, size_t first, size_t count, void* out) {
  const bool extreme = spec.kind == DataKind::kExtreme;
  if (spec.op == Op::kMin || spec.op == Op::kMax) {
    fill<T>(spec, AnyFinite{}, rank, first, count, out);
  } else if (extreme) {
    fill<T>(spec, Extreme{}, rank, first, count, out);
  } else if (spec.op == Op::kProd) {
    if (spec.kind == DataKind::kRandom) {
      fill<T>(spec, NearOne(spec.ranks), rank, first, count, out);
    } else {
      fill<T>(spec, PowersOfTwo(spec.ranks, rank), rank, first, count, out);
    }
  } else if (spec.kind == DataKind::kRandom) {
    fill<T>(spec, Varied{}, rank, first, count, out);
  } else if (exact_budget<T>(spec.ranks) >= 1) {
    fill<T>(spec, SmallIntegers<T>(spec.ranks), rank, first, count, out);
  } else {
    fill<T>(spec, SparseOnes::of<T>(spec.ranks, rank), rank, first, count, out);
  }
}

}  // namespace

void generate(const DataSpec& spec, int rank, size_t first, size_t count, void* out) {
  visit(spec.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (kIsFloat<T>) {
      generate_float<T>(spec, rank, first, count, out);
    } else if (spec.op == Op::kProd) {
      fill<T>(spec, OddInteger{}, rank, first, count, out);
    } else {
      fill<T>(spec, AnyInteger{}, rank, first, count, out);
    }
  });
}

}  // namespace arb
