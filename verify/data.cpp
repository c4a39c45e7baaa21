#include "verify/data.hpp"

#include "collectives/ops/visit.hpp"
#include "verify/element.hpp"

namespace arb {
namespace {

template <class T, class Pattern>
void fill(const Streams& streams, const Pattern& pattern, size_t first, size_t count, void* out) {
  for_segments(first, count, [&](size_t segment, uint32_t offset, size_t position, uint32_t piece) {
    const Draws draws = streams.segment(segment);
    const Pattern local = pattern;  // locals, so that the stores below cannot alias them
    T* const to = static_cast<T*>(out) + position;
    for (uint32_t i = 0; i < piece; ++i) to[i] = local.template make<T>(draws, offset + i);
  });
}

}  // namespace

void generate(const DataSpec& spec, int rank, size_t first, size_t count, void* out) {
  visit(spec.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const Streams streams(spec, rank);
    with_pattern<T>(spec, rank,
                    [&](const auto& pattern) { fill<T>(streams, pattern, first, count, out); });
  });
}

}  // namespace arb
