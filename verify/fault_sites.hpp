// Where in the buffers of a finished operation a fault can be put.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "verify/inject.hpp"

namespace arb {

/// Throws Error{kUsage}: this fault makes no sense for this operation.
[[noreturn]] void refuse_fault(const std::string& why);

class FaultSites {
 public:
  /// Keeps references to both.
  FaultSites(const CheckSpec& spec, const std::vector<MutableRank>& ranks)
      : spec_(spec), ranks_(ranks), size_(size_of(spec.data.dtype)) {}

  size_t size() const { return size_; }  // bytes of an element

  /// has_input or has_output.
  using Promise = bool (*)(Collective, int rank, int chunk, int root);
  /// The parts of the message that `promise` names for the rank, none empty, tile by tile.
  std::vector<Range> parts(Promise promise, int rank) const;

  /// The wanted rank, or the next one that has an output here.
  int victim(int wanted) const;

  std::byte* at(int rank, size_t index) const {
    return ranks_[static_cast<size_t>(rank)].output + index * size_;
  }
  size_t middle(int rank) const;  // an element of the rank's output
  size_t end(int rank) const;     // one past its last

  /// Two ranges of equal size in the first tile that has two chunks, or else the halves of a chunk.
  std::pair<Range, Range> two_chunks() const;

 private:
  const CheckSpec& spec_;
  const std::vector<MutableRank>& ranks_;
  size_t size_;
};

}  // namespace arb
