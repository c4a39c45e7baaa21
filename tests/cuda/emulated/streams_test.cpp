// Order of work: streams, events, graphs.
#include <vector>

#include "tests/cuda/emulated/support.hpp"

namespace arb::emulated::streams_test {

constexpr size_t kWords = 512;

struct AddArgs {
  uint32_t* to = nullptr;
  uint32_t value = 0;
  uint32_t factor = 1;
};

/// to = to * factor + value: tells the order in which it was done.
void add_kernel(AddArgs args) {
  const Thread thread;
  for (size_t i = thread.index(); i < kWords; i += thread.count()) {
    store(args.to + i, load(args.to + i) * args.factor + args.value);
  }
}

cudaError_t add(uint32_t* to, uint32_t value, cudaStream_t stream) {
  return launch(add_kernel, AddArgs{to, value, 10}, {1, 32}, stream);
}

cudaStream_t make_stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t stream = nullptr;
  EXPECT_CUDA(cudaStreamCreateWithFlags(&stream, flags));
  return stream;
}

cudaEvent_t make_event(unsigned flags = cudaEventDisableTiming) {
  cudaEvent_t event = nullptr;
  EXPECT_CUDA(cudaEventCreateWithFlags(&event, flags));
  return event;
}

TEST(EmulatedStreams, AStreamKeepsItsOrder) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    configure({.seed = seed});
    auto* words = device_zeros<uint32_t>(kWords);
    std::vector<uint32_t> host(kWords, 7);
    cudaStream_t stream = make_stream();
    ASSERT_CUDA(cudaMemcpyAsync(words, host.data(), kWords * 4, cudaMemcpyHostToDevice, stream));
    host.assign(kWords, 0);  // pageable: it was copied before the call returned
    ASSERT_CUDA(add(words, 1, stream));
    ASSERT_CUDA(add(words, 2, stream));
    int seen = 0;
    ASSERT_CUDA(cudaLaunchHostFunc(
        stream, [](void* data) { *static_cast<int*>(data) = 1; }, &seen));
    ASSERT_CUDA(cudaStreamSynchronize(stream));
    EXPECT_EQ(seen, 1);
    EXPECT_EQ(read_back(words + kWords - 1), 712U);
  }
}

TEST(EmulatedStreams, NothingHappensOutsideOfCalls) {
  configure({});
  auto* words = device_zeros<uint32_t>(kWords);
  auto* pinned = pinned_zeros<uint32_t>(1);
  cudaStream_t stream = make_stream();
  ASSERT_CUDA(add(words, 5, stream));
  ASSERT_CUDA(cudaMemcpyAsync(pinned, words, 4, cudaMemcpyDeviceToHost, stream));
  EXPECT_EQ(*pinned, 0U);
  cudaError_t result = cudaErrorNotReady;
  while (result == cudaErrorNotReady) result = cudaStreamQuery(stream);
  EXPECT_CUDA(result);
  EXPECT_EQ(*pinned, 5U);
}

TEST(EmulatedStreams, StreamsAreOrderedByEventsOnly) {
  bool seen[2] = {false, false};
  for (const bool with_event : {false, true}) {
    if (!with_event && !has_fibers()) continue;  // a race, and ThreadSanitizer says so
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      configure({.seed = seed});
      auto* words = device_zeros<uint32_t>(kWords);
      cudaStream_t first = make_stream(), second = make_stream();
      cudaEvent_t event = make_event();
      ASSERT_CUDA(add(words, 1, first));
      ASSERT_CUDA(cudaEventRecord(event, first));
      if (with_event) {
        ASSERT_CUDA(cudaStreamWaitEvent(second, event));
      }
      ASSERT_CUDA(add(words, 2, second));
      ASSERT_CUDA(cudaDeviceSynchronize());
      for (size_t i = 0; i < kWords; i += 16) {
        seen[with_event] = seen[with_event] || read_back(words + i) != 12;
      }
    }
  }
  EXPECT_TRUE(seen[0] || !has_fibers());
  EXPECT_FALSE(seen[1]);
}

TEST(EmulatedStreams, TheNullStreamWaitsForBlockingStreamsAndTheReverse) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    configure({.seed = seed});
    auto* words = device_zeros<uint32_t>(kWords);
    cudaStream_t stream = make_stream(cudaStreamDefault);
    ASSERT_CUDA(add(words, 1, stream));
    ASSERT_CUDA(add(words, 2, nullptr));
    ASSERT_CUDA(add(words, 3, stream));
    ASSERT_CUDA(cudaStreamSynchronize(stream));
    EXPECT_EQ(read_back(words), 123U);
  }
}

TEST(EmulatedStreams, EventsTellWhenTheyWereReached) {
  configure({});
  auto* words = device_zeros<uint32_t>(kWords);
  cudaStream_t stream = make_stream();
  cudaEvent_t start = make_event(cudaEventDefault), end = make_event(cudaEventDefault);
  EXPECT_CUDA(cudaEventQuery(start));  // never recorded: nothing to wait for
  ASSERT_CUDA(cudaEventRecord(start, stream));
  ASSERT_CUDA(add(words, 1, stream));
  ASSERT_CUDA(cudaEventRecord(end, stream));
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorNotReady);
  ASSERT_CUDA(cudaEventSynchronize(end));
  ASSERT_CUDA(cudaEventElapsedTime(&milliseconds, start, end));
  EXPECT_GT(milliseconds, 0);
  cudaEvent_t untimed = make_event();
  ASSERT_CUDA(cudaEventRecord(untimed, stream));
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, untimed), cudaErrorInvalidResourceHandle);
}

TEST(EmulatedStreams, WorkBelongsToTheDeviceOfItsStream) {
  configure({});
  cudaStream_t stream = make_stream();
  cudaEvent_t event = make_event();
  ASSERT_CUDA(cudaSetDevice(1));
  auto* words = device_zeros<uint32_t>(kWords);
  EXPECT_EQ(add(words, 1, stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
}

TEST(EmulatedStreams, StaleHandlesAreFoundOut) {
  configure({});
  cudaStream_t stream = make_stream();
  cudaEvent_t event = make_event();
  EXPECT_EQ(counters().live_streams, 1U);
  ASSERT_CUDA(cudaStreamDestroy(stream));
  ASSERT_CUDA(cudaEventDestroy(event));
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventSynchronize(event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(counters().live_streams + counters().live_events, 0U);
}

TEST(EmulatedStreams, AHostFunctionMustNotCallTheRuntime) {
  configure({});
  cudaError_t inside = cudaSuccess;
  ASSERT_CUDA(cudaLaunchHostFunc(
      nullptr, [](void* data) { *static_cast<cudaError_t*>(data) = cudaDeviceSynchronize(); },
      &inside));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(inside, cudaErrorNotPermitted);
}

TEST(EmulatedGraphs, AGraphIsReplayedInItsOrder) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    configure({.seed = seed});
    auto* words = device_zeros<uint32_t>(kWords);
    cudaStream_t stream = make_stream(), side = make_stream();
    cudaEvent_t fork = make_event(), join = make_event();
    ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    ASSERT_CUDA(cudaMemsetAsync(words, 0, kWords * 4, stream));
    ASSERT_CUDA(add(words, 1, stream));
    ASSERT_CUDA(cudaEventRecord(fork, stream));
    ASSERT_CUDA(cudaStreamWaitEvent(side, fork));
    ASSERT_CUDA(add(words, 2, side));
    ASSERT_CUDA(cudaEventRecord(join, side));
    ASSERT_CUDA(cudaStreamWaitEvent(stream, join));
    ASSERT_CUDA(add(words, 3, stream));
    cudaGraph_t graph = nullptr;
    ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    ASSERT_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT_EQ(nodes, 4U);
    EXPECT_EQ(read_back(words), 0U);  // a capture does nothing
    cudaGraphExec_t exec = nullptr;
    ASSERT_CUDA(cudaGraphInstantiate(&exec, graph));
    ASSERT_CUDA(cudaGraphDestroy(graph));
    for (int round = 0; round < 3; ++round) {
      ASSERT_CUDA(cudaGraphLaunch(exec, stream));
      ASSERT_CUDA(add(words, 4, stream));
      ASSERT_CUDA(cudaStreamSynchronize(stream));
      EXPECT_EQ(read_back(words + 5), 1234U);
    }
    ASSERT_CUDA(cudaGraphExecDestroy(exec));
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
    EXPECT_EQ(counters().graph_launches, 3U);
  }
}

TEST(EmulatedGraphs, AGraphMaySpanDevices) {
  configure({});
  auto* words = device_zeros<uint32_t>(kWords);
  cudaStream_t stream = make_stream();
  cudaEvent_t fork = make_event();
  ASSERT_CUDA(cudaSetDevice(1));
  auto* others = device_zeros<uint32_t>(kWords);
  cudaStream_t side = make_stream();
  cudaEvent_t join = make_event();
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  ASSERT_CUDA(cudaEventRecord(fork, stream));
  ASSERT_CUDA(cudaStreamWaitEvent(side, fork));
  ASSERT_CUDA(add(others, 7, side));
  ASSERT_CUDA(cudaEventRecord(join, side));
  ASSERT_CUDA(cudaStreamWaitEvent(stream, join));
  ASSERT_CUDA(cudaSetDevice(0));
  ASSERT_CUDA(add(words, 8, stream));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
  ASSERT_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  ASSERT_CUDA(cudaGraphLaunch(exec, stream));
  ASSERT_CUDA(cudaStreamSynchronize(stream));
  EXPECT_EQ(read_back(words), 8U);
  EXPECT_EQ(read_back(others), 7U);
}

TEST(EmulatedGraphs, WhatACaptureForbidsBreaksIt) {
  configure({});
  auto* words = device_zeros<uint32_t>(kWords);
  cudaStream_t stream = make_stream(), side = make_stream();
  cudaEvent_t event = make_event();
  cudaGraph_t graph = nullptr;

  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);

  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 16), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);

  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ASSERT_CUDA(cudaEventRecord(event, stream));
  ASSERT_CUDA(cudaStreamWaitEvent(side, event));
  ASSERT_CUDA(add(words, 1, side));
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);

  cudaStream_t blocking = make_stream(cudaStreamDefault);
  ASSERT_CUDA(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
  EXPECT_EQ(add(words, 1, nullptr), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(cudaStreamEndCapture(blocking, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
  EXPECT_CUDA(cudaDeviceSynchronize());
}

}  // namespace arb::emulated::streams_test
