// Fault injection: proves that each check can fail. Data faults are applied to the buffers after an
// operation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "verify/check.hpp"

namespace arb {

enum class FaultKind : unsigned char {
  kNothing,
  kFlipBit,        // one bit of one output element
  kNan,            // one NaN
  kOffByPart,      // 0.9 added to one element (integers: 1)
  kSwapChunks,     // two chunks of every output swapped (ranks agree, all wrong)
  kDoubleRank,     // rank 0 counted twice, the last rank not at all (at every rank)
  kLastUnwritten,  // the last element keeps its poison
  kPastEnd,        // a byte behind the output
  kChangeInput,    // one input element
  kOneRank,        // one rank's output differs
  kStale,          // output of the previous data
  kStall,          // run time: a rank stops taking part      (rank, iteration)
  kDelay,          // run time: a rank is late                (rank, seconds, every n-th iteration)
  kSlow,           // run time: a rank takes longer           (rank, share of the time)
};

/// Not of the data but of a rank, which the runner makes misbehave.
constexpr bool is_of_run_time(FaultKind kind) {
  return kind == FaultKind::kStall || kind == FaultKind::kDelay || kind == FaultKind::kSlow;
}

struct Fault {
  FaultKind kind = FaultKind::kNothing;
  int rank = 0;
  long iteration = 0;  // from which on (stall), every n-th (delay)
  double seconds = 0;  // delay
  double share = 0;    // slow: 0.1 is 10 % longer
};

/// "flip-bit", "nan", "off-by-part", "swap-chunks", "double-rank", "last-unwritten", "past-end",
/// "change-input", "one-rank", "stale", "stall:rank=1,iteration=2",
/// "delay:rank=1,seconds=0.002,every=50", "slow:rank=1,share=0.1". Throws Error{kUsage} naming the
/// text and the valid list.
Fault parse_fault(std::string_view text);
std::vector<std::string> fault_names();

struct MutableRank {
  std::byte* input = nullptr;
  std::byte* output = nullptr;
};

/// Applies a data fault to the buffers of a finished operation (run-time faults: nothing).
void apply(const Fault& fault, const CheckSpec& spec, const std::vector<MutableRank>& ranks);

}  // namespace arb
