// From options and the machine to the cases of a sweep, each of which can run or says why not.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/options.hpp"

namespace arb {

/// The facts of a machine that planning needs.
struct Machine {
  int cores = 1;
  uint64_t memory_bytes = 0;          // that buffers may take
  std::vector<int> rank_counts = {};  // to sweep if none are asked for; empty: default_ranks(cores)
};

/// What a run allocates beside one set of message buffers.
struct Footprint {
  uint64_t rotate_bytes = 0;  // cold cache: sets of buffers until they exceed this; 0: one set
  uint64_t around_bytes = 0;  // per buffer: guards, alignment
  // Slots and scratch of all ranks; empty: none. May be asked about cases that cannot run.
  std::function<uint64_t(int ranks, uint64_t bytes, bool in_place)> runner_bytes;
  std::function<int(int ranks)> ranks_in_memory;  // that share one memory; empty: all
};

struct Case {
  int ranks = 0;
  uint64_t requested_bytes = 0;
  uint64_t bytes = 0;  // of the message (the larger side of one rank), whole elements
  uint64_t count = 0;  // elements; a multiple of ranks for reduce-scatter and all-gather
  bool in_place = false;
  uint64_t needed_bytes = 0;  // memory of all ranks that share one
  std::string skip;           // why it cannot run; empty: it can
};

/// 2, 4, 8, ... up to the cores, but at least 2 and 4.
std::vector<int> default_ranks(int cores);

/// Bytes of one set of buffers, all ranks together: input and output, or one buffer in place.
/// Saturates.
uint64_t buffer_bytes(Collective collective, uint64_t bytes, int ranks, bool in_place);

/// How many sets of `set_bytes` together exceed `rotate_bytes`: 1 if that is 0, else 2 to
/// kMostSets.
uint64_t buffer_sets(uint64_t set_bytes, uint64_t rotate_bytes);
inline constexpr uint64_t kMostSets = 16384;

/// Ordered by ranks, then size, out of place before in place. Sizes that round to the same count
/// are planned once, for the smallest of them. Allocates no buffer. With --strict a case that
/// cannot run throws Error{kEnvironment}; a root that no rank count has throws Error{kUsage}.
std::vector<Case> plan(const Options& options, const Machine& machine, const Footprint& footprint);

}  // namespace arb
