#include "collectives/runners/cuda/graph_cache.hpp"

#include <algorithm>

#include "collectives/runners/cuda/cuda_call.hpp"

namespace arb {
namespace {

// Cold buffers rotate through up to 16384 tables; capturing again costs no measured time.
constexpr size_t kMostEntries = 256;

Graph instantiate(cudaGraph_t captured) {
  cudaGraphExec_t ready = nullptr;
  const cudaError_t code = cudaGraphInstantiate(&ready, captured, 0);
  cudaGraphDestroy(captured);
  check_cuda(code, "make a graph of an operation");
  return Graph(ready);
}

}  // namespace

bool GraphCache::Entry::fits(uint64_t number, const RankBuffers* table, int times,
                             int stalled) const {
  return operation == number && batch == times && stall_rank == stalled &&
         std::equal(buffers.begin(), buffers.end(), table,
                    [](const RankBuffers& a, const RankBuffers& b) {
                      return a.input == b.input && a.output == b.output;
                    });
}

const std::vector<Graph>& GraphCache::graphs(const GpuWorld& world, DeviceOperation& operation,
                                             const RankBuffers* buffers, int batch,
                                             int stall_rank) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.fits(operation.number(), buffers, batch, stall_rank);
  });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().graphs;
  }
  Entry entry{operation.number(), {buffers, buffers + world.map.ranks}, batch, stall_rank, {}};
  for (const LocalGpu& gpu : world.local) {
    use_device(gpu.device);
    check_cuda(cudaStreamBeginCapture(gpu.stream, cudaStreamCaptureModeThreadLocal),
               "capture an operation");
  }
  try {
    for (int b = 0; b < batch; ++b) operation.enqueue(world.local, buffers, stall_rank);
  } catch (...) {  // the streams are to be of use again
    for (const LocalGpu& gpu : world.local) {
      cudaGraph_t captured = nullptr;
      if (cudaStreamEndCapture(gpu.stream, &captured) == cudaSuccess && captured != nullptr) {
        cudaGraphDestroy(captured);
      }
    }
    throw;
  }
  for (const LocalGpu& gpu : world.local) {
    use_device(gpu.device);
    cudaGraph_t captured = nullptr;
    check_cuda(cudaStreamEndCapture(gpu.stream, &captured), "capture an operation");
    entry.graphs.push_back(instantiate(captured));
  }
  if (entries_.size() == kMostEntries) entries_.pop_back();
  entries_.push_front(std::move(entry));
  return entries_.front().graphs;
}

}  // namespace arb
