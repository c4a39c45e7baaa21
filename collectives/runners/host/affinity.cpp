#include "collectives/runners/host/affinity.hpp"

#include <sched.h>

#include <memory>

namespace arb {

std::vector<int> usable_cpus() {
  // The kernel may know more CPUs than cpu_set_t has room for; grow until it is satisfied.
  for (int room = CPU_SETSIZE; room <= 1 << 20; room *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(static_cast<size_t>(room)),
                                                               [](cpu_set_t* p) { CPU_FREE(p); });
    const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(room));
    if (!set || sched_getaffinity(0, bytes, set.get()) != 0) continue;
    std::vector<int> cpus;
    for (int cpu = 0; cpu < room; ++cpu) {
      if (CPU_ISSET_S(static_cast<size_t>(cpu), bytes, set.get())) cpus.push_back(cpu);
    }
    return cpus;
  }
  return {0};
}

}  // namespace arb
