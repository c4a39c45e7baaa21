// How processes that drive GPUs together fail together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectives/runners/cuda/peers.hpp"

namespace arb {

/// What every process says, or the Error of one of them as everybody's Error{kEnvironment}.
/// Collective; peers: null for one process, whose own Error is passed on.
std::vector<std::string> gather(Peers* peers, const std::function<std::string()>& say);

}  // namespace arb
