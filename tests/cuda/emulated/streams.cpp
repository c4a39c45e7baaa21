#include "tests/cuda/emulated/streams.hpp"

#include <algorithm>

#include "tests/cuda/emulated/machine.hpp"

namespace arb::emulated {
namespace {

uint64_t number_of(const void* handle) { return reinterpret_cast<uintptr_t>(handle); }

}  // namespace

Streams::Streams(Machine& machine, int devices) : machine_(machine) {
  for (int device = 0; device < devices; ++device) {
    null_streams_.push_back(std::make_unique<Stream>());
    null_streams_.back()->device = device;
    null_streams_.back()->null = true;
  }
}

template <class Visit>
void Streams::for_each(const Visit& visit) const {
  for (const auto& stream : null_streams_) visit(*stream);
  for (const auto& [number, stream] : streams_) visit(*stream);
}

cudaStream_t Streams::create(int device, bool blocking) {
  auto stream = std::make_unique<Stream>();
  stream->device = device;
  stream->blocking = blocking;
  next_handle_ += 16;
  streams_[next_handle_] = std::move(stream);
  return reinterpret_cast<cudaStream_t>(next_handle_);
}

Stream* Streams::find(cudaStream_t stream, int current_device) {
  if (stream == nullptr || stream == cudaStreamLegacy) {
    return null_streams_[static_cast<size_t>(current_device)].get();
  }
  const auto found = streams_.find(number_of(stream));
  return found == streams_.end() || found->second->destroyed ? nullptr : found->second.get();
}

bool Streams::destroy(cudaStream_t stream) {
  const auto found = streams_.find(number_of(stream));
  if (found == streams_.end() || found->second->destroyed) return false;
  found->second->destroyed = true;
  if (found->second->capture) found->second->capture->invalid = true;
  found->second->capture = nullptr;
  if (found->second->queue.empty()) streams_.erase(found);
  return true;
}

size_t Streams::live_streams() const {
  return static_cast<size_t>(std::count_if(streams_.begin(), streams_.end(), [](const auto& entry) {
    return !entry.second->destroyed;
  }));
}

cudaEvent_t Streams::create_event(int device, bool timing) {
  auto event = std::make_unique<Event>();
  event->device = device;
  event->timing = timing;
  next_handle_ += 16;
  events_[next_handle_] = std::move(event);
  return reinterpret_cast<cudaEvent_t>(next_handle_);
}

Event* Streams::find(cudaEvent_t event) {
  const auto found = events_.find(number_of(event));
  return found == events_.end() ? nullptr : found->second.get();
}

bool Streams::destroy(cudaEvent_t event) { return events_.erase(number_of(event)) != 0; }

cudaError_t Streams::put(Stream& stream, Task task) {
  if (stream.null) {
    bool captured = false;
    for_each([&](Stream& other) {
      if (other.device != stream.device || !other.blocking || !other.capture) return;
      other.capture->invalid = true;
      captured = true;
    });
    if (captured) return cudaErrorStreamCaptureImplicit;
  }
  if (!stream.capture) {
    stream.queue.push_back({.task = std::move(task), .sequence = ++sequence_});
    return cudaSuccess;
  }
  if (stream.capture->invalid) return cudaErrorStreamCaptureInvalidated;
  auto& nodes = stream.capture->graph->nodes;
  nodes.push_back({std::move(task), {stream.last_nodes.begin(), stream.last_nodes.end()}});
  stream.last_nodes = {nodes.size() - 1};
  return cudaSuccess;
}

cudaError_t Streams::record(Event& event, Stream& stream) {
  if (event.device != stream.device) return cudaErrorInvalidResourceHandle;
  if (stream.capture) {
    event.capture = stream.capture;
    event.nodes = stream.last_nodes;
    event.moment = nullptr;
    return stream.capture->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
  }
  event.capture.reset();
  event.moment = std::make_shared<Moment>();
  event.moment->device = stream.device;
  return put(stream,
             {.kind = Task::Kind::kRecord, .device = stream.device, .moment = event.moment});
}

cudaError_t Streams::wait(Stream& stream, Event& event) {
  if (const auto capture = event.capture.lock()) {
    if (stream.null) return cudaErrorStreamCaptureImplicit;
    if (stream.capture && stream.capture != capture) {
      capture->invalid = stream.capture->invalid = true;
      return cudaErrorStreamCaptureMerge;
    }
    stream.capture = capture;
    stream.last_nodes.insert(event.nodes.begin(), event.nodes.end());
    return cudaSuccess;
  }
  if (event.moment == nullptr) return cudaSuccess;  // never recorded
  if (stream.capture) {
    stream.capture->invalid = true;
    return cudaErrorStreamCaptureIsolation;
  }
  return put(stream, {.kind = Task::Kind::kWait, .device = stream.device, .moment = event.moment});
}

cudaError_t Streams::begin_capture(cudaStream_t handle, Stream& stream,
                                   cudaStreamCaptureMode mode) {
  if (stream.null) return cudaErrorStreamCaptureUnsupported;
  if (stream.capture) return cudaErrorIllegalState;
  stream.capture = std::make_shared<Capture>();
  stream.capture->origin = handle;
  stream.capture->mode = mode;
  stream.last_nodes.clear();
  captures_.push_back(stream.capture);
  return cudaSuccess;
}

cudaError_t Streams::end_capture(Stream& stream, std::shared_ptr<GraphImage>* graph) {
  const auto capture = stream.capture;
  if (!capture) return cudaErrorIllegalState;
  if (find(capture->origin, stream.device) != &stream) return cudaErrorStreamCaptureUnmatched;
  // What the origin does not depend on was left in another stream.
  std::set<size_t> reached = stream.last_nodes;
  for (size_t node = capture->graph->nodes.size(); node-- > 0;) {
    if (reached.count(node) == 0) continue;
    const auto& after = capture->graph->nodes[node].after;
    reached.insert(after.begin(), after.end());
  }
  const bool joined = reached.size() == capture->graph->nodes.size();
  for_each([&](Stream& other) {
    if (other.capture != capture) return;
    other.capture = nullptr;
    other.last_nodes.clear();
  });
  if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
  if (!joined) return cudaErrorStreamCaptureUnjoined;
  *graph = capture->graph;
  return cudaSuccess;
}

bool Streams::forbids_immediate_calls() {
  bool forbidden = false;
  for (const auto& weak : captures_) {
    const auto capture = weak.lock();
    if (capture && capture->mode != cudaStreamCaptureModeRelaxed) {
      capture->invalid = true;
      forbidden = true;
    }
  }
  std::erase_if(captures_, [](const auto& weak) { return weak.expired(); });
  return forbidden;
}

bool Streams::idle(int device) const {
  bool idle = true;
  for_each([&](const Stream& stream) {
    idle = idle && (stream.device != device || stream.queue.empty());
  });
  return idle;
}

bool Streams::idle() const {
  bool idle = true;
  for_each([&](const Stream& stream) { idle = idle && stream.queue.empty(); });
  return idle;
}

void Streams::drop(int device) {
  for_each([&](Stream& stream) {
    if (stream.device != device) return;
    for (const Running& running : stream.queue) {
      if (running.task.kind == Task::Kind::kRecord) running.task.moment->done = true;
    }
    stream.queue.clear();
  });
}

std::string Streams::describe_waiting() const {
  std::string text;
  for_each([&](const Stream& stream) {
    if (stream.queue.empty() || stream.queue.front().begun) return;
    const Task& task = stream.queue.front().task;
    text += "a stream of device " + std::to_string(stream.device) + " waits to ";
    if (task.kind == Task::Kind::kKernel) {
      text += "start " + task.kernel->name;
    } else {
      text += task.kind == Task::Kind::kWait ? "see an event" : "go on";
    }
    text += "\n";
  });
  return text;
}

}  // namespace arb::emulated
