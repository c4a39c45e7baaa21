// Proves a schedule before a byte moves. Everything is decided on the graph of ONE tile: its edges
// are lane order, i-th send -> i-th receive, i-th receive -> (i + slots)-th send of a FIFO, mark ->
// after.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/schedule/collective.hpp"
#include "collectives/schedule/facts.hpp"
#include "collectives/schedule/schedule.hpp"

namespace arb {

struct Finding {
  std::string kind;  // "malformed", "fifo", "deadlock", "race", "missing", "doubled", "wrong
                     // chunk", "order"
  int rank = kNone;
  int lane = kNone;
  int step = kNone;
  std::string message;  // a whole sentence that names rank, lane and step
};

struct RankTraffic {  // per tile, in chunks; times bytes / chunks it is bytes of the message
  int64_t sent_chunks = 0;
  int64_t received_chunks = 0;
};

struct Proof {
  std::vector<Finding> findings;     // empty = proved
  std::vector<RankTraffic> traffic;  // [rank]
  int chunks = 1;
  int latency_steps = 0;  // messages on the longest path
  Facts facts;            // valid only if ok()
  ReductionOrder order;   // valid only if ok()

  bool ok() const { return findings.empty(); }
  int64_t max_sent_chunks() const;
  int64_t max_received_chunks() const;
  /// Bytes through the busiest port, one direction, per byte of message: max(sent, received) /
  /// chunks.
  double traffic_factor() const;
};

/// slots: per FIFO, >= 1. in_place: input and output are the same memory. Never throws on a bad
/// schedule: it reports findings (at most 16).
Proof prove(const Schedule& schedule, Collective collective, int root, int slots, bool in_place);

}  // namespace arb
