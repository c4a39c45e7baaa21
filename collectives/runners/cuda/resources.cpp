#include "collectives/runners/cuda/resources.hpp"

#include <atomic>
#include <cstring>
#include <string>

#include "collectives/runners/cuda/cuda_call.hpp"

namespace arb {
namespace {

std::atomic<bool> lost{false};

}  // namespace

void lose_gpus() { lost = true; }
bool gpus_lost() { return lost; }

void free_device_memory(int device, void* memory) {
  if (!lost && cudaSetDevice(device) == cudaSuccess) cudaFree(memory);
}

std::byte* device_memory(int device, size_t bytes, const char* purpose) {
  use_device(device);
  void* data = nullptr;
  const cudaError_t code = cudaMalloc(&data, bytes);
  if (code != cudaSuccess) {
    cuda_failed(code, "allocate " + in_binary_units(bytes) + " on GPU " + std::to_string(device) +
                          " for " + purpose);
  }
  check_cuda(cudaMemset(data, 0, bytes), "clear memory of a GPU");
  check_cuda(cudaDeviceSynchronize(), "clear memory of a GPU");
  return static_cast<std::byte*>(data);
}

std::shared_ptr<std::byte> owned_device_memory(int device, size_t bytes, const char* purpose) {
  return {device_memory(device, bytes, purpose),
          [device](std::byte* at) { free_device_memory(device, at); }};
}

PinnedMemory::PinnedMemory(size_t bytes, const char* purpose) {
  void* data = nullptr;
  const cudaError_t code = cudaHostAlloc(&data, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
  if (code != cudaSuccess) {
    cuda_failed(code,
                "allocate " + in_binary_units(bytes) + " of pinned host memory for " + purpose);
  }
  host_ = {static_cast<std::byte*>(data), [](std::byte* at) {
             if (!lost) cudaFreeHost(at);
           }};
  std::memset(data, 0, bytes);
  void* mapped = nullptr;
  check_cuda(cudaHostGetDevicePointer(&mapped, data, 0), "map pinned host memory");
  device_ = static_cast<std::byte*>(mapped);
}

Event::Event(bool timed) {
  check_cuda(cudaEventCreateWithFlags(&event_, timed ? cudaEventDefault : cudaEventDisableTiming),
             "create an event");
}

Event::~Event() {
  if (event_ != nullptr && !lost) cudaEventDestroy(event_);
}

void Event::record(cudaStream_t stream) {
  check_cuda(cudaEventRecord(event_, stream), "record an event");
}

bool Event::done() const {
  const cudaError_t code = cudaEventQuery(event_);
  if (code == cudaErrorNotReady) return false;
  check_cuda(code, "wait for a GPU");
  return true;
}

double Event::seconds_since(const Event& start) const {
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, start.event_, event_), "read the time of events");
  return static_cast<double>(milliseconds) * 1e-3;
}

Stream::Stream() {
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
}

Stream::~Stream() {
  if (stream_ != nullptr && !lost) cudaStreamDestroy(stream_);
}

bool Stream::idle(cudaStream_t stream) {
  const cudaError_t code = cudaStreamQuery(stream);
  if (code == cudaErrorNotReady) return false;
  check_cuda(code, "finish what a GPU was given to do");
  return true;
}

Graph::~Graph() {
  if (graph_ != nullptr && !lost) cudaGraphExecDestroy(graph_);
}

void Graph::launch(cudaStream_t stream) const {
  check_cuda(cudaGraphLaunch(graph_, stream), "launch a graph");
}

}  // namespace arb
