// A schedule on a virtual clock: how long it takes where every rank has one port to send and one to
// receive, both at once. The model behind alpha and beta.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/schedule/schedule.hpp"
#include "collectives/schedule/tiling.hpp"

namespace arb {

/// What every port can do. Neither is negative.
struct Link {
  double alpha_s = 0;           // from the first byte leaving to the first byte arriving
  double seconds_per_byte = 0;  // of a message in the port it leaves through, and again in the
                                // one it arrives through, alpha later
};

enum class Tiles {
  kSkipRepeating,  // once the tiles repeat themselves, whole periods of them are skipped
  kEvery,          // exact always, in time proportional to the tiles
};

/// Seconds until all lanes of all ranks are through all tiles. A step begins when its lane is
/// there, its message has arrived as a whole, its event is marked and a slot is free; then it costs
/// nothing but what it sends: that waits for the send port of the rank (first come, first served,
/// over all its lanes), while the lane goes on. Messages enter the receive port in the order in
/// which their first bytes arrive; a slot is free again as soon as its message is read. `slots` per
/// FIFO, >= 1. Throws Error{kInternal} if the schedule waits for itself: it is not proved for
/// `slots`.
///
/// Repeating tiles are recognised by the state of all ports, lanes and messages, so that what is
/// skipped is exact. Where no state comes back in some hundred tiles (in all-reduce trees of 7
/// ranks and more) the average pace of those stands for the rest: within 1 %.
double virtual_seconds(const Schedule& schedule, const Tiling& tiling, size_t element_bytes,
                       int slots, const Link& link, Tiles tiles = Tiles::kSkipRepeating);

/// The bytes on the critical path: the bytes that pass, one after the other, through the ports that
/// decide when the operation ends, on a link without latency. So an operation takes about
/// (latency steps) * alpha + path_bytes / beta; a rank that first receives and then sends
/// contributes the sum of both, one that does both at once only the larger.
int64_t path_bytes(const Schedule& schedule, const Tiling& tiling, size_t element_bytes, int slots);

/// Does cutting a large message into tiles shorten the operation and cost no latency? Such a
/// schedule is a pipeline: one tile follows another on its way (the trees). Elsewhere the first
/// step of a tile waits for the last of the one before, so that every tile pays all latency steps
/// again; even where its bytes would overlap (a root still sends a result while the next
/// contributions come in), what is gained depends on alpha.
bool tiling_pays(const Schedule& schedule, int slots);

}  // namespace arb
