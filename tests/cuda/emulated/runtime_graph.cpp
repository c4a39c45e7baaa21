// Graphs, which here come from captures only.
#include <map>
#include <memory>

#include "tests/cuda/emulated/api.hpp"

using namespace arb::emulated;  // NOLINT: these files are the inside of that namespace

namespace {

using Image = std::shared_ptr<GraphImage>;

template <class Handle>
Handle handle_of(uint64_t number) {
  return reinterpret_cast<Handle>(number);
}

uint64_t number_of(const void* handle) { return reinterpret_cast<uintptr_t>(handle); }

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    Stream* found = m.streams.find(stream, caller().device);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    return m.streams.begin_capture(stream, *found, mode);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    *graph = nullptr;
    Stream* found = m.streams.find(stream, caller().device);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    Image image;
    const cudaError_t error = m.streams.end_capture(*found, &image);
    if (error == cudaSuccess) *graph = handle_of<cudaGraph_t>(m.graphs.add(image));
    return error;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    Stream* found = m.streams.find(stream, caller().device);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    *status = !found->capture           ? cudaStreamCaptureStatusNone
              : found->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                        : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long /*flags*/) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    *exec = nullptr;
    const Image image = m.graphs.find(number_of(graph));
    if (!image) return cudaErrorInvalidValue;
    *exec = handle_of<cudaGraphExec_t>(m.graph_execs.add(std::make_shared<GraphImage>(*image)));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t /*stream*/) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    return m.graph_execs.find(number_of(exec)) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    Stream* found = m.streams.find(stream, caller().device);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    const Image image = m.graph_execs.find(number_of(exec));
    if (!image) return cudaErrorInvalidValue;
    ++m.counters.graph_launches;
    return m.streams.put(*found,
                         {.kind = Task::Kind::kGraph, .device = found->device, .graph = image});
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    return m.graphs.remove(number_of(graph)) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    return m.graph_execs.remove(number_of(exec)) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    const Image image = m.graphs.find(number_of(graph));
    if (!image) return cudaErrorInvalidValue;
    if (nodes == nullptr) {
      *count = image->nodes.size();
      return cudaSuccess;
    }
    for (size_t i = 0; i < *count; ++i) {
      nodes[i] =
          i < image->nodes.size() ? reinterpret_cast<cudaGraphNode_t>(&image->nodes[i]) : nullptr;
    }
    *count = std::min(*count, image->nodes.size());
    return cudaSuccess;
  });
}
