// One collective operation, prepared for a fixed shape and ready to be run again and again.
// Scheduled and native algorithms look alike to whoever drives the ranks.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "collectives/ops/types.hpp"
#include "collectives/schedule/collective.hpp"
#include "collectives/schedule/facts.hpp"
#include "collectives/schedule/tiling.hpp"

namespace arb {

struct Shape {
  Collective collective = Collective::kAllReduce;
  int ranks = 1;
  int root = 0;
  size_t count = 0;  // elements of the whole message (reduce-scatter, all-gather: all blocks)
  Dtype dtype = Dtype::kFloat32;
  Op op = Op::kSum;

  size_t bytes() const { return count * size_of(dtype); }
};

/// Start of the (virtual, whole) message of one rank; equal when in place.
struct RankBuffers {
  std::byte* input = nullptr;
  std::byte* output = nullptr;
};

enum class Advance : unsigned char {
  kBlocked,  // nothing could be done: waits for another rank
  kMoved,    // something was done, more is to do
  kDone,     // the rank's buffers are complete and free
};

/// begin() and advance() of one rank are called by one thread; ranks may be driven by different
/// threads. advance() never blocks, so that one thread can drive many ranks in turn.
class Operation {
 public:
  virtual ~Operation() = default;

  virtual void begin(int rank, const RankBuffers& buffers) = 0;
  virtual Advance advance(int rank) = 0;

  /// Where the rank stands, in words, for the report of a hang: "lane 0 (main), step 3: ..., tile
  /// 5". Only after all threads have left advance().
  virtual std::string where(int rank) const = 0;
  /// The rank that `rank` waits for now, or kNone. Called by the thread that drives `rank`.
  virtual int waits_for(int rank) const = 0;

  /// How the message is cut (the oracle needs it) and in which order it is reduced (null: unknown).
  virtual const Tiling& tiling() const = 0;
  virtual const ReductionOrder* order() const = 0;
};

}  // namespace arb
