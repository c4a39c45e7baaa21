// How streams move on.
#include <algorithm>

#include "tests/cuda/emulated/machine.hpp"

namespace arb::emulated {

bool Streams::advance() {
  std::vector<Stream*> busy;
  for (const auto& stream : null_streams_) {
    if (!stream->queue.empty()) busy.push_back(stream.get());
  }
  for (const auto& [number, stream] : streams_) {
    if (!stream->queue.empty()) busy.push_back(stream.get());
  }
  Random& random = machine_.scheduler.random();
  bool moved = false;
  while (!busy.empty()) {  // in any order
    const size_t chosen = random.below(busy.size());
    moved = advance(*busy[chosen]) || moved;
    busy[chosen] = busy.back();
    busy.pop_back();
  }
  std::erase_if(streams_, [](const auto& entry) {
    return entry.second->destroyed && entry.second->queue.empty();
  });
  const auto failures = std::move(failures_);
  failures_.clear();
  for (const auto& [device, error] : failures) machine_.fail(device, error);
  return moved;
}

bool Streams::advance(Stream& stream) {
  bool moved = false;
  while (!stream.queue.empty()) {
    Running& running = stream.queue.front();
    if (!running.begun && !may_begin(stream, running)) break;
    if (!step(running, moved)) break;
    stream.queue.pop_front();
    moved = true;
  }
  return moved;
}

bool Streams::may_begin(const Stream& stream, const Running& running) const {
  const auto earlier = [&](const Stream& other) {
    return !other.queue.empty() && other.queue.front().sequence < running.sequence;
  };
  if (!stream.null) {
    return !stream.blocking || !earlier(*null_streams_[static_cast<size_t>(stream.device)]);
  }
  return std::none_of(streams_.begin(), streams_.end(), [&](const auto& entry) {
    const Stream& other = *entry.second;
    return other.device == stream.device && other.blocking && earlier(other);
  });
}

bool Streams::step(Running& running, bool& moved) {
  const Task& task = running.task;
  switch (task.kind) {
    case Task::Kind::kKernel:
      if (!running.begun) {
        if (!machine_.may_begin(*task.kernel)) return false;
        running.begun = moved = true;
        const cudaError_t error = machine_.begin(task.kernel, running.run);
        if (error != cudaSuccess) {
          running.run->failed = true;
          running.run->error = error;
        }
      }
      if (running.run->failed) failures_.emplace_back(task.device, running.run->error);
      return running.run->done && !running.run->failed;
    case Task::Kind::kCall: {
      if (running.begun) return false;  // failed
      running.begun = true;
      const cudaError_t error = task.call();
      machine_.scheduler.changed();
      machine_.scheduler.wake_all();  // it may have written what somebody polls
      if (error != cudaSuccess) failures_.emplace_back(task.device, error);
      return error == cudaSuccess;
    }
    case Task::Kind::kRecord:
      task.moment->done = true;
      task.moment->when = std::chrono::steady_clock::now();
      return true;
    case Task::Kind::kWait:
      return task.moment->done;
    case Task::Kind::kGraph:
      return step_graph(running, moved);
  }
  return true;
}

bool Streams::step_graph(Running& running, bool& moved) {
  const auto& nodes = running.task.graph->nodes;
  if (!running.begun) {
    running.begun = moved = true;
    for (const GraphNode& node : nodes) running.nodes.push_back({.task = node.task});
    running.finished.assign(nodes.size(), 0);
  }
  bool all = true;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (running.finished[i] != 0) continue;
    const bool ready = std::all_of(nodes[i].after.begin(), nodes[i].after.end(),
                                   [&](size_t before) { return running.finished[before] != 0; });
    if (ready && step(running.nodes[i], moved)) {
      running.finished[i] = 1;
      moved = true;
    }
    if (running.nodes[i].run && running.nodes[i].run->failed) {
      failures_.emplace_back(running.task.device, running.nodes[i].run->error);
    }
    all = all && running.finished[i] != 0;
  }
  return all;
}

}  // namespace arb::emulated
