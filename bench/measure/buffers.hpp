// The message buffers of all ranks for one case, with guards around every real part.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "collectives/runners/locality.hpp"
#include "collectives/runners/operation.hpp"
#include "verify/buffer_tools.hpp"

namespace arb {

/// The elements of rank's input (output) that are real: all, its own block, or none.
Range real_input(const Shape& shape, int rank);
Range real_output(const Shape& shape, int rank);

struct BufferLayout {
  bool in_place = false;
  int unalign = 0;        // elements off the alignment to a cache line
  size_t cold_bytes = 0;  // 0: one set (hot); else as many sets as together exceed this
};

class CaseBuffers {
 public:
  /// Of the ranks whose memory this process sees; the pointers of all others are null. `tools` are
  /// for the memory that `locality` gives, and outlive this. Collective over the processes of the
  /// near ranks.
  CaseBuffers(const Shape& shape, const BufferLayout& layout, const Locality& locality,
              const BufferTools& tools = host_buffer_tools());
  /// Of all ranks, in this process.
  CaseBuffers(const Shape& shape, const BufferLayout& layout)
      : CaseBuffers(shape, layout, host_locality(shape.ranks)) {}

  /// For all that reads or writes the messages outside an operation.
  const BufferTools& tools() const { return tools_; }

  size_t sets() const { return sets_.size(); }
  const RankBuffers* set(size_t index) const { return sets_[index % sets_.size()].data(); }

  /// Of one rank in one set. Salts differ between the guard before and the one behind.
  void set_guards(size_t index, int rank) const;
  /// "" or "guard before the input of rank 1 changed at byte 3"...
  struct GuardFinding {
    bool changed = false;
    bool of_output = false;
    bool before = false;
    long offset = 0;  // bytes from the start of the guard
  };
  GuardFinding check_guards(size_t index, int rank) const;

 private:
  template <typename Visit>
  void each_guard(size_t index, int rank, const Visit& visit) const;

  const BufferTools& tools_;
  Shape shape_;
  bool in_place_;
  size_t element_;
  std::vector<std::shared_ptr<std::byte>> memory_;  // of each near rank
  std::vector<std::vector<RankBuffers>> sets_;      // [set][rank]
};

}  // namespace arb
