// Batches of an operation as graphs, captured once.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "collectives/runners/cuda/gpu_world.hpp"

namespace arb {

class GraphCache {
 public:
  /// What is captured is what this would enqueue `batch` times. Returns a graph for each GPU of the
  /// world. Nothing of it is in work when graphs() is called.
  const std::vector<Graph>& graphs(const GpuWorld& world, DeviceOperation& operation,
                                   const RankBuffers* buffers, int batch, int stall_rank);

 private:
  struct Entry {
    uint64_t operation;
    std::vector<RankBuffers> buffers;
    int batch;
    int stall_rank;
    std::vector<Graph> graphs;  // [local GPU]

    bool fits(uint64_t number, const RankBuffers* table, int times, int stalled) const;
  };

  std::list<Entry> entries_;  // the latest first
};

}  // namespace arb
