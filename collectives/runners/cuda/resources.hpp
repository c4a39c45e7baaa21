// What the CUDA runtime hands out and wants back.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <utility>

namespace arb {

/// Kernels of this process could not be stopped: whatever they may use is kept, because giving it
/// back would wait for them.
void lose_gpus();
bool gpus_lost();

/// Zeroed memory of a GPU. `purpose` completes "cannot ...". Throws Error{kEnvironment}.
std::byte* device_memory(int device, size_t bytes, const char* purpose);
void free_device_memory(int device, void* memory);
/// The same, freed by its last owner.
std::shared_ptr<std::byte> owned_device_memory(int device, size_t bytes, const char* purpose);

/// Zeroed memory of the host that all GPUs of the process can use.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  PinnedMemory(size_t bytes, const char* purpose);

  std::byte* host() const { return host_.get(); }
  std::byte* device() const { return device_; }  // the same bytes, as kernels see them

 private:
  std::shared_ptr<std::byte> host_;
  std::byte* device_ = nullptr;
};

class Event {
 public:
  /// On the current device.
  explicit Event(bool timed);
  ~Event();
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  Event(const Event&) = delete;

  void record(cudaStream_t stream);
  bool done() const;
  /// Seconds from `start` to this one; both are done.
  double seconds_since(const Event& start) const;

 private:
  cudaEvent_t event_ = nullptr;
};

class Stream {
 public:
  /// On the current device; not ordered with the default stream.
  Stream();
  ~Stream();
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&&) = delete;
  Stream(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }
  /// Is everything done that was put on it? Throws what went wrong there.
  static bool idle(cudaStream_t stream);

 private:
  cudaStream_t stream_ = nullptr;
};

/// A stream's work as it was captured, to be put on a stream again as a whole.
class Graph {
 public:
  explicit Graph(cudaGraphExec_t graph) : graph_(graph) {}
  ~Graph();
  Graph(Graph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  Graph& operator=(Graph&&) = delete;
  Graph(const Graph&) = delete;

  void launch(cudaStream_t stream) const;

 private:
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace arb
