#include "collectives/runners/cuda/graph_cache.hpp"

#include <algorithm>

#include "collectives/runners/cuda/cuda_call.hpp"

namespace arb {
namespace {

// Cold buffers rotate through up to 16384 tables; capturing again costs no measured time.
constexpr size_t kMostEntries = 256;

/// Ends the capture of the first `count` streams, whatever came of it: they are to be of use again.
std::vector<cudaGraph_t> end_captures(const GpuWorld& world, size_t count, cudaError_t& code) {
  std::vector<cudaGraph_t> captured(count, nullptr);
  for (size_t i = 0; i < count; ++i) {
    cudaSetDevice(world.local[i].device);
    const cudaError_t ended = cudaStreamEndCapture(world.local[i].stream, &captured[i]);
    if (code == cudaSuccess) code = ended;
  }
  return captured;
}

void destroy(const std::vector<cudaGraph_t>& graphs) {
  for (cudaGraph_t graph : graphs) {
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
}

/// Uploaded too, or its first launch would have to wait for that.
Graph instantiate(cudaGraph_t captured, cudaStream_t stream) {
  cudaGraphExec_t made = nullptr;
  check_cuda(cudaGraphInstantiate(&made, captured, 0), "make a graph of an operation");
  Graph ready(made);
  check_cuda(cudaGraphUpload(made, stream), "make a graph of an operation");
  return ready;
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
  size_t begun = 0;
  cudaError_t code = cudaSuccess;
  try {
    for (const LocalGpu& gpu : world.local) {
      use_device(gpu.device);
      check_cuda(cudaStreamBeginCapture(gpu.stream, cudaStreamCaptureModeThreadLocal),
                 "capture an operation");
      ++begun;
    }
    for (int b = 0; b < batch; ++b) operation.enqueue(world.local, buffers, stall_rank);
  } catch (...) {
    destroy(end_captures(world, begun, code));
    throw;
  }
  const std::vector<cudaGraph_t> captured = end_captures(world, begun, code);
  try {
    check_cuda(code, "capture an operation");
    for (size_t i = 0; i < captured.size(); ++i) {
      use_device(world.local[i].device);
      entry.graphs.push_back(instantiate(captured[i], world.local[i].stream));
    }
  } catch (...) {
    destroy(captured);
    throw;
  }
  destroy(captured);
  if (entries_.size() == kMostEntries) entries_.pop_back();
  entries_.push_front(std::move(entry));
  return entries_.front().graphs;
}

}  // namespace arb
