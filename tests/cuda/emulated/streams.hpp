// Work in order: streams, events, and graphs of captured work.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/cuda/emulated/kernel.hpp"

namespace arb::emulated {

/// One recording of an event.
struct Moment {
  bool done = false;
  std::chrono::steady_clock::time_point when;
  int device = 0;
};

struct GraphImage;

/// What is put on a stream, as often as it is launched.
struct Task {
  enum class Kind { kKernel, kCall, kRecord, kWait, kGraph };
  Kind kind = Kind::kCall;
  int device = 0;
  std::shared_ptr<const KernelImage> kernel = nullptr;
  std::function<cudaError_t()> call = nullptr;
  std::shared_ptr<Moment> moment = nullptr;
  std::shared_ptr<const GraphImage> graph = nullptr;
};

struct GraphNode {
  Task task;
  std::vector<size_t> after;
};
struct GraphImage {
  std::vector<GraphNode> nodes;
};

/// A task on its way.
struct Running {
  Task task = {};
  uint64_t sequence = 0;
  bool begun = false;
  std::shared_ptr<KernelRun> run = nullptr;
  std::vector<Running> nodes = {};  // of a graph
  std::vector<char> finished = {};  // [node]
};

/// A capture that one or more streams take part in.
struct Capture {
  std::shared_ptr<GraphImage> graph = std::make_shared<GraphImage>();
  cudaStream_t origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  bool invalid = false;
};

struct Stream {
  int device = 0;
  bool blocking = true;  // waits for the null stream, and the reverse
  bool null = false;
  bool destroyed = false;  // goes when its work is done
  std::deque<Running> queue;
  std::shared_ptr<Capture> capture;
  std::set<size_t> last_nodes;  // of the capture
};

struct Event {
  int device = 0;
  bool timing = true;
  std::shared_ptr<Moment> moment;
  std::weak_ptr<Capture> capture;  // recorded in it
  std::set<size_t> nodes;
};

class Machine;

class Streams {
 public:
  explicit Streams(Machine& machine, int devices);

  cudaStream_t create(int device, bool blocking);
  /// Null: no such stream. The null stream is that of the current device.
  Stream* find(cudaStream_t stream, int current_device);
  bool destroy(cudaStream_t stream);
  cudaEvent_t create_event(int device, bool timing);
  Event* find(cudaEvent_t event);
  bool destroy(cudaEvent_t event);
  size_t live_streams() const;
  size_t live_events() const { return events_.size(); }

  /// Appends to the stream, or to the graph that it captures.
  cudaError_t put(Stream& stream, Task task);
  cudaError_t record(Event& event, Stream& stream);
  cudaError_t wait(Stream& stream, Event& event);

  cudaError_t begin_capture(cudaStream_t handle, Stream& stream, cudaStreamCaptureMode mode);
  cudaError_t end_capture(Stream& stream, std::shared_ptr<GraphImage>* graph);
  /// Whether a capture forbids calls that do something at once.
  bool forbids_immediate_calls();

  /// Starts what can start and ends what has ended. Whether anything did.
  bool advance();
  bool idle(int device) const;
  bool idle() const;
  /// Forgets what is queued on a device that has failed.
  void drop(int device);
  /// What has not begun, a line each.
  std::string describe_waiting() const;

 private:
  bool advance(Stream& stream);
  bool may_begin(const Stream& stream, const Running& running) const;
  /// Begins it if it can, and looks whether it has ended. Sets moved if anything happened.
  bool step(Running& running, bool& moved);
  bool step_graph(Running& running, bool& moved);
  template <class Visit>
  void for_each(const Visit& visit) const;

  Machine& machine_;
  std::vector<std::pair<int, cudaError_t>> failures_;  // of devices, found on the way
  std::vector<std::unique_ptr<Stream>> null_streams_;  // [device]
  std::map<uint64_t, std::unique_ptr<Stream>> streams_;
  std::map<uint64_t, std::unique_ptr<Event>> events_;
  std::vector<std::weak_ptr<Capture>> captures_;
  uint64_t next_handle_ = 0x1000;
  uint64_t sequence_ = 0;
};

}  // namespace arb::emulated
