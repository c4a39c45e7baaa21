// One GPU at a time: what read_gpus() puts together.
#pragma once

#include <string>
#include <vector>

#include "collectives/runners/cuda/gpus.hpp"

namespace arb {

/// Why there is no GPU, or "" and how many there are.
std::string count_gpus(int& count);

/// Without its free memory, which would need a context on it. Throws Error{kEnvironment}.
Gpu read_gpu(int device);

/// kSame on the diagonal, kPeer elsewhere: to be tried.
std::vector<std::vector<PeerPath>> untried_paths(int gpus);

}  // namespace arb
