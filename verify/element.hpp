// One element of the inputs as a function of (spec, rank, index), the same on host and device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "verify/data.hpp"
#include "verify/patterns.hpp"

namespace arb {

/// The random streams of one rank.
struct Streams {
  uint64_t own;
  uint64_t shared;

  ARB_HD Streams(const DataSpec& spec, int rank)
      : own(mix64(mix64(spec.seed) + 1 + static_cast<uint64_t>(rank))), shared(mix64(spec.seed)) {}

  ARB_HD Draws segment(size_t number) const {
    return {{own, number}, {~own, number}, {shared, number}};
  }
};

/// visitor(pattern) with the pattern of the inputs of `rank`.
template <class T, class Visitor>
ARB_HD auto with_pattern(const DataSpec& spec, int rank, const Visitor& visitor) {
  if constexpr (kIsFloat<T>) {
    if (spec.op == Op::kMin || spec.op == Op::kMax) return visitor(AnyFinite{});
    if (spec.kind == DataKind::kExtreme) return visitor(Extreme{});
    if (spec.op == Op::kProd) {
      if (spec.kind == DataKind::kRandom) return visitor(NearOne(spec.ranks));
      return visitor(PowersOfTwo(spec.ranks, rank));
    }
    if (spec.kind == DataKind::kRandom) return visitor(Varied{});
    if (exact_budget<T>(spec.ranks) >= 1) return visitor(SmallIntegers<T>(spec.ranks));
    return visitor(SparseOnes::of<T>(spec.ranks, rank));
  } else {
    if (spec.op == Op::kProd) return visitor(OddInteger{});
    return visitor(AnyInteger{});
  }
}

template <class T>
struct ElementMaker {
  const Streams& streams;
  size_t index;

  template <class Pattern>
  ARB_HD T operator()(const Pattern& pattern) const {
    const Draws draws = streams.segment(index / SegmentKey::kSegment);
    return pattern.template make<T>(draws, static_cast<uint32_t>(index % SegmentKey::kSegment));
  }
};

/// What generate() writes as element `index` of the input of `rank`.
template <class T>
ARB_HD T make_element(const DataSpec& spec, int rank, size_t index) {
  const Streams streams(spec, rank);
  return with_pattern<T>(spec, rank, ElementMaker<T>{streams, index});
}

}  // namespace arb
