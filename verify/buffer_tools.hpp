// What checking does with message buffers, wherever they lie: in this process's memory, or on GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "verify/check.hpp"
#include "verify/data.hpp"
#include "verify/inject.hpp"

namespace arb {

/// Pointers are as the process sees them; those of a rank lie where that rank's data live.
class BufferTools {
 public:
  virtual ~BufferTools() = default;

  /// See generate() in data.hpp, poison(), set_guard(), changed_guard() and check_tile() in
  /// check.hpp, and apply() in inject.hpp.
  virtual void generate(const DataSpec& spec, int rank, size_t first, size_t count,
                        std::byte* to) const = 0;
  virtual void poison(int rank, std::byte* at, size_t bytes) const = 0;
  virtual void set_guard(int rank, std::byte* guard, size_t bytes, unsigned salt) const = 0;
  virtual long changed_guard(int rank, const std::byte* guard, size_t bytes,
                             unsigned salt) const = 0;
  /// The tiles first_tile, first_tile + stride, ... of the message at all ranks it can see.
  virtual Verdict check(const CheckSpec& spec, const std::vector<RankView>& ranks,
                        size_t first_tile, size_t stride) const = 0;
  virtual void apply(const Fault& fault, const CheckSpec& spec,
                     const std::vector<MutableRank>& ranks) const = 0;
  /// Copies to memory of this process.
  virtual void read(int rank, const std::byte* from, size_t bytes, std::byte* to) const = 0;
  /// Of `count` elements: differs, but for chance, if one of them does. Any NaN equals any NaN. The
  /// same wherever the elements lie.
  virtual uint64_t digest(int rank, Dtype dtype, const std::byte* from, size_t count) const = 0;
};

/// For memory of this process.
const BufferTools& host_buffer_tools();

}  // namespace arb
