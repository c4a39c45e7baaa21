// Streams and events.
#include <memory>

#include "tests/cuda/emulated/api.hpp"

using namespace arb::emulated;  // NOLINT: these files are the inside of that namespace

namespace {

cudaError_t refuse_in_capture(Stream& stream) {
  if (!stream.capture) return cudaSuccess;
  stream.capture->invalid = true;
  return cudaErrorStreamCaptureUnsupported;
}

bool captured(const Event& event) { return !event.capture.expired(); }

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    if (flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    *stream = m.streams.create(caller().device, flags == cudaStreamDefault);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int /*priority*/) {
  return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    return m.streams.destroy(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call(Needs::kDevices, [&](Machine& m, Lock& lock) {
    Stream* found = m.streams.find(stream, caller().device);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = refuse_in_capture(*found); error != cudaSuccess) return error;
    const int device = found->device;
    if (failure_of(m, device) != cudaSuccess) return failure_of(m, device);
    auto moment = std::make_shared<Moment>();
    const cudaError_t error =
        m.streams.put(*found, {.kind = Task::Kind::kRecord, .device = device, .moment = moment});
    if (error != cudaSuccess) return error;
    m.run_until(lock, device, [&] { return moment->done; });
    return failure_of(m, device);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    Stream* found = m.streams.find(stream, caller().device);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = refuse_in_capture(*found); error != cudaSuccess) return error;
    const int device = found->device;
    const auto done = [&] { return found->queue.empty(); };
    if (!done()) m.run_some(done);
    if (failure_of(m, device) != cudaSuccess) return failure_of(m, device);
    return done() ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    Stream* found = m.streams.find(stream, caller().device);
    Event* awaited = m.streams.find(event);
    if (found == nullptr || awaited == nullptr) return cudaErrorInvalidResourceHandle;
    return flags != 0 ? cudaErrorInvalidValue : m.streams.wait(*found, *awaited);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    Stream* found = m.streams.find(stream, caller().device);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    return m.streams.put(*found, {.device = found->device, .call = [function, data] {
                                    Caller& who = caller();
                                    const Caller before = who;
                                    who.in_host_function = true;  // it must not call the runtime
                                    function(data);
                                    who = before;
                                    return cudaSuccess;
                                  }});
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    if (flags > 7) return cudaErrorInvalidValue;
    *event = m.streams.create_event(caller().device, (flags & cudaEventDisableTiming) == 0);
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    return m.streams.destroy(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call(Needs::kContext, [&](Machine& m, Lock&) {
    Stream* found = m.streams.find(stream, caller().device);
    Event* recorded = m.streams.find(event);
    if (found == nullptr || recorded == nullptr) return cudaErrorInvalidResourceHandle;
    return m.streams.record(*recorded, *found);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    Event* found = m.streams.find(event);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (captured(*found)) return cudaErrorCapturedEvent;
    const auto moment = found->moment;
    if (moment == nullptr) return cudaSuccess;
    if (!moment->done) m.run_some([&] { return moment->done; });
    if (failure_of(m, moment->device) != cudaSuccess) return failure_of(m, moment->device);
    return moment->done ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call(Needs::kDevices, [&](Machine& m, Lock& lock) {
    Event* found = m.streams.find(event);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (captured(*found)) return cudaErrorCapturedEvent;
    const auto moment = found->moment;
    if (moment == nullptr) return cudaSuccess;
    if (!moment->done) m.run_until(lock, moment->device, [&] { return moment->done; });
    return failure_of(m, moment->device);
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call(Needs::kDevices, [&](Machine& m, Lock&) {
    Event* first = m.streams.find(start);
    Event* second = m.streams.find(end);
    if (first == nullptr || second == nullptr || !first->timing || !second->timing ||
        first->device != second->device || captured(*first) || captured(*second) ||
        first->moment == nullptr || second->moment == nullptr) {
      return cudaErrorInvalidResourceHandle;
    }
    if (!first->moment->done || !second->moment->done) return cudaErrorNotReady;
    const std::chrono::duration<float, std::milli> passed =
        second->moment->when - first->moment->when;
    *milliseconds = passed.count();
    return cudaSuccess;
  });
}
