// The processors that this process may use.
#pragma once

#include <vector>

namespace arb {

/// Ascending numbers of the affinity mask; {0} if the kernel does not tell.
std::vector<int> usable_cpus();

}  // namespace arb
