// Which process takes which GPUs.
#pragma once

#include <string>
#include <vector>

namespace arb {

/// The devices of each process, [process][i]: in turn, the first `gpus_of_each` that it sees and
/// that no process before it has, so that it does not matter whether all see all GPUs or each its
/// own. Who finds too few has fewer. visible: UUIDs, [process][device].
std::vector<std::vector<int>> first_free_gpus(const std::vector<std::vector<std::string>>& visible,
                                              int gpus_of_each);

}  // namespace arb
