// A finished collective in memory, made by the plainest means: what the checks are tried on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "verify/check.hpp"
#include "verify/inject.hpp"

namespace arb::test {

struct MessageSpec {
  Collective collective = Collective::kAllReduce;
  DataSpec data;
  size_t count = 1000;
  int chunks = 4;
  size_t tile = 400;
  int root = 0;
  bool in_place = false;
};

/// ((x0 op x1) op (x2 op x3)) ...
ReductionOrder tree_order(int ranks, int chunks);
/// The ring's: chunk c starts at rank c.
ReductionOrder ring_order(int ranks, int chunks);

class Message {
 public:
  /// Inputs are generated and the outputs reduced in `order`.
  Message(const MessageSpec& spec, ReductionOrder order);

  /// knows_order: whether the check is told the order.
  CheckSpec check_spec(bool knows_order = true) const;
  Verdict check(bool knows_order = true) const;
  void inject(const Fault& fault, bool knows_order = true);

  std::byte* output(int rank, size_t index = 0);
  std::byte* input(int rank, size_t index = 0);
  /// Offset of the first changed byte of the guards around a rank's output, or -1.
  long changed_output_guard(int rank) const;

  struct Difference {
    int64_t elements = 0;  // that differ from the correct output, bit for bit
    int rank = -1;         // of the first
    int64_t index = -1;
  };
  Difference difference() const;

 private:
  std::vector<std::byte> evaluate(int node) const;
  std::vector<MutableRank> mutable_ranks();

  MessageSpec spec_;
  ReductionOrder order_;
  Tiling tiling_;
  size_t size_;
  std::vector<std::vector<std::byte>> inputs_;   // [rank], with guards
  std::vector<std::vector<std::byte>> outputs_;  // [rank], with guards; empty in place
  std::vector<std::vector<std::byte>> correct_;  // [chunk], whole messages
};

std::string label(const DataSpec& data);

}  // namespace arb::test
