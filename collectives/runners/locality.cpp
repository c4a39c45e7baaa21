#include "collectives/runners/locality.hpp"

#include <numeric>

#include "collectives/runners/host/memory.hpp"

namespace arb {

std::shared_ptr<std::byte> private_memory(size_t bytes) {
  if (bytes == 0) return nullptr;
  auto pages = std::make_shared<Pages>(bytes);
  return {pages, pages->data()};
}

Locality host_locality(int ranks) {
  Locality all;
  all.driven.resize(static_cast<size_t>(ranks));
  std::iota(all.driven.begin(), all.driven.end(), 0);
  all.near = all.driven;
  all.allocate = private_memory;
  return all;
}

}  // namespace arb
