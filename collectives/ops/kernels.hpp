// dtype x op, dispatched once: plain loops over contiguous elements, vectorised by the compiler.
#pragma once

#include <cstddef>

#include "collectives/ops/types.hpp"

namespace arb {

/// destination[i] = a[i] (op) b[i] for i < count elements. destination may be a or b; no other
/// overlap. float16 and bfloat16 are computed in float32 and rounded once, to nearest even.
/// Integers wrap. NaN propagates through min and max, and -0 < +0 there, so that every operator
/// commutes bit for bit.
using ReduceKernel = void (*)(void* destination, const void* a, const void* b, size_t count);

/// values[i] = values[i] / ranks: what makes an average of a whole sum.
using FinishKernel = void (*)(void* values, size_t count, int ranks);

struct Kernels {
  ReduceKernel reduce = nullptr;
  FinishKernel finish = nullptr;  // null unless op is avg
};

/// For avg, `reduce` is that of sum. Requires !unsupported(dtype, op).
Kernels kernels(Dtype dtype, Op op);

}  // namespace arb
