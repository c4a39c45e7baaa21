// What a collective promises: who has which input chunks, and what each output chunk must hold.
#pragma once

#include <string_view>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace arb {

enum class Collective { kAllReduce, kReduceScatter, kAllGather, kBroadcast, kReduce };

inline constexpr Collective kCollectives[] = {Collective::kAllReduce, Collective::kReduceScatter,
                                              Collective::kAllGather, Collective::kBroadcast,
                                              Collective::kReduce};

std::string_view name(Collective collective);  // "all-reduce", "reduce-scatter", ...
bool has_root(Collective collective);          // broadcast, reduce
bool reduces(Collective collective);           // all-reduce, reduce-scatter, reduce

/// Blocked: chunk c of every tile lies in block c of the message (reduce-scatter, all-gather),
/// so that rank c's part of the message is contiguous. Otherwise tiles are contiguous.
bool blocked(Collective collective);

/// May `rank` read chunk `chunk` of its input?
bool has_input(Collective collective, int rank, int chunk, int root);

/// Must `rank` end with a result in chunk `chunk` of its output?
bool has_output(Collective collective, int rank, int chunk, int root);

/// The ranks whose inputs the result in chunk `chunk` combines, each exactly once.
std::vector<int> contributors(Collective collective, int ranks, int chunk, int root);

/// busbw = algbw x this factor; 0 ranks or 1 rank: 0, and the caller reports null.
double bus_factor(Collective collective, int ranks);

}  // namespace arb
