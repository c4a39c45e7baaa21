// Reduces the same range of many buffers in rank order: ((x0 op x1) op x2) ...
#pragma once

#include <cstddef>
#include <span>

#include "collectives/ops/kernels.hpp"
#include "collectives/runners/operation.hpp"

namespace arb {

class Fold {
 public:
  explicit Fold(const Shape& shape)
      : kernels_(kernels(shape.dtype, shape.op)),
        element_(size_of(shape.dtype)),
        ranks_(shape.ranks) {}

  size_t element_bytes() const { return element_; }

  /// destination := fold of inputs[r](offset), `bytes` each; destination must not be an input
  /// unless it is inputs[0].
  template <typename InputOf>
  void operator()(std::byte* destination, const InputOf& input_of, size_t bytes) const {
    const size_t count = bytes / element_;
    if (ranks_ == 1) {
      if (destination != input_of(0)) __builtin_memcpy(destination, input_of(0), bytes);
    } else {
      kernels_.reduce(destination, input_of(0), input_of(1), count);
      for (int r = 2; r < ranks_; ++r)
        kernels_.reduce(destination, destination, input_of(r), count);
    }
    if (kernels_.finish != nullptr) kernels_.finish(destination, count, ranks_);
  }

 private:
  Kernels kernels_;
  size_t element_;
  int ranks_;
};

}  // namespace arb
